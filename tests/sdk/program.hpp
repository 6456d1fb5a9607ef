// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace sdk_test {

struct Outcome {
  int status;
  std::string output;
};

// Runs the program through the shell; both streams together unless `redirection` says otherwise.
inline Outcome call(const std::string& arguments, const std::string& redirection = "2>&1",
                    const std::string& environment = "") {
  const std::string line = environment + " '" HALFLING_PROGRAM "' " + arguments + " " + redirection;
  FILE* pipe = popen(line.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  std::array<char, 4096> buffer;
  for (std::size_t count; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    output.append(buffer.data(), count);
  }
  return {WEXITSTATUS(pclose(pipe)), output};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace sdk_test
