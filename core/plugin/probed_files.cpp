// SPDX-License-Identifier: Apache-2.0
#include "plugin/probed_files.hpp"

#define BOOST_DLL_USE_STD_FS
#include <fmt/format.h>
#include <sys/stat.h>

#include <boost/dll/runtime_symbol_info.hpp>
#include <sstream>

#include "base/atomic_file.hpp"
#include "base/input_file.hpp"
#include "halfling/cache.hpp"
#include "halfling/error.hpp"
#include "halfling/processors.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest = 4 << 20;  // bytes; far more plugins than anybody has

fs::path record() {
  const fs::path folder = cache_folder("plugins");
  return folder.empty() ? folder : folder / "loaded.txt";
}

/// Empty where there is no such file, or a name that one line cannot hold.
std::string stamp(const fs::path& file) {
  struct stat now {};
  if (::stat(file.c_str(), &now) != 0 || file.native().find('\n') != std::string::npos) return {};
  return fmt::format("{} {}.{} {}.{} {}:{}", now.st_size, now.st_mtim.tv_sec, now.st_mtim.tv_nsec,
                     now.st_ctim.tv_sec, now.st_ctim.tv_nsec, now.st_dev, now.st_ino);
}

/// A line is a stamp of four words, a blank, and a path.
std::size_t end_of_stamp(const std::string& line) {
  std::size_t end = 0;
  for (int word = 0; word < 4 && end != std::string::npos; ++word) end = line.find(' ', end + (word > 0));
  return end;
}

}  // namespace

ProbedFiles::ProbedFiles() : program_(stamp(boost::dll::symbol_location(usable_processors))) {
  std::string text;
  try {
    if (const fs::path file = record(); !file.empty()) text = read_file(file, largest).value_or("");
  } catch (const Error&) {  // something else lies there
  }
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != program_) return;
  while (std::getline(lines, line))
    if (const std::size_t end = end_of_stamp(line); end < line.size())
      stamps_[line.substr(end + 1)] = line.substr(0, end);
}

bool ProbedFiles::contains(const fs::path& file) const {
  const auto found = stamps_.find(file.native());
  return found != stamps_.end() && found->second == stamp(file);
}

void ProbedFiles::add(const fs::path& file) {
  if (std::string now = stamp(file); !now.empty()) stamps_[file.native()] = std::move(now);
}

void ProbedFiles::keep() const {
  const fs::path file = record();
  if (file.empty()) return;
  std::string text = program_ + "\n";
  for (const auto& [path, known] : stamps_)
    if (stamp(path) == known) text += known + " " + path + "\n";
  try {
    fs::create_directories(file.parent_path());
    AtomicFile written(file);
    written.write(text);
    written.commit();
  } catch (const std::exception&) {  // they are tried again
  }
}

}  // namespace halfling
