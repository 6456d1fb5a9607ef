// SPDX-License-Identifier: Apache-2.0
#include "plugin/loading_error.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace halfling {
namespace {

/// The word that ends before a position: what the loader names there.
std::string word_before(std::string_view text, std::size_t end) {
  const std::string_view before = text.substr(0, end);
  return std::string(before.substr(before.find_last_of(" \t\n") + 1));
}

std::string word_after(std::string_view text, std::size_t begin) {
  const std::string_view after = text.substr(begin);
  return std::string(after.substr(0, after.find_first_of(" \t\n:,)")));
}

std::string readable(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? name.get() : symbol;
}

}  // namespace

ErrorDetails loading_error(std::string_view said) {
  constexpr std::string_view missing = ": cannot open shared object file", undefined = "undefined symbol: ";
  if (const std::size_t at = said.find(missing); at != said.npos)
    return {.what = "the file cannot be loaded, as a shared library that it needs is missing",
            .got = word_before(said, at) + " was not found",
            .hint =
                "install that library, or give its folder to the linker (-Wl,-rpath,FOLDER); `ldd FILE` "
                "lists all that are missing"};
  if (const std::size_t at = said.find(undefined); at != said.npos)
    return {.what = "the file cannot be loaded, as it uses what no library defines",
            .got = readable(word_after(said, at + undefined.size())),
            .hint =
                "link the library that has it; of halfling, plugins can use what its installed headers "
                "declare, and no more"};
  return {.what = "the file cannot be loaded",
          .got = std::string(said),
          .hint = "install the libraries that it needs, or build it against this halfling"};
}

}  // namespace halfling
