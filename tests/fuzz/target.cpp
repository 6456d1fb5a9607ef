// SPDX-License-Identifier: Apache-2.0
#include "target.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "halfling/error.hpp"

namespace halfling::fuzz {
namespace {

namespace fs = std::filesystem;

class Scratch {
 public:
  Scratch() { fs::create_directories(path); }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const fs::path path = (fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) /
                        ("halfling-fuzz-" + std::to_string(::getpid()));
};

}  // namespace

const fs::path& scratch() {
  static const Scratch folder;
  return folder.path;
}

fs::path write(std::string_view name, std::string_view text) {
  const fs::path file = scratch() / name;
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

void read_or_refuse(std::string_view named, const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string text = error.what();
    if (text.find(named) != std::string::npos && !text.starts_with('['))  // what follows may quote the file
      return;
    std::fprintf(stderr, "a refusal without \"%.*s\", or in a library's words:\n%s\n",
                 static_cast<int>(named.size()), named.data(), text.c_str());
    std::abort();
  }
}

}  // namespace halfling::fuzz

/// libFuzzer adds what it finds to the first folder on the command line, which must be there.
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  for (int i = 1; i < *count; ++i) {
    if ((*arguments)[i][0] == '-') continue;
    if (!std::filesystem::exists((*arguments)[i])) std::filesystem::create_directories((*arguments)[i]);
    break;
  }
  return 0;
}
