// SPDX-License-Identifier: Apache-2.0
#include "cli/rerun.hpp"

#include <algorithm>
#include <cctype>

namespace halfling::cli {

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string::npos;
  });
  if (plain) return word;
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string rerun_command(const boost::program_options::variables_map& values, std::size_t number) {
  std::string command = "halfling run " + shell_word(values["experiment"].as<std::string>());
  for (const char* repeated : {"set", "plugin-path"})
    if (values.count(repeated) != 0)
      for (const std::string& word : values[repeated].as<Arguments>())
        command += std::string(" --") + repeated + " " + shell_word(word);
  if (!values["out"].defaulted()) command += " --out " + shell_word(values["out"].as<std::string>());
  if (number != 0) command += " --trial " + std::to_string(number);
  return command + " --resume";
}

}  // namespace halfling::cli
