// SPDX-License-Identifier: Apache-2.0
#include "cli/rerun.hpp"

#include "cli/shell_word.hpp"

namespace halfling::cli {

std::string rerun_command(const boost::program_options::variables_map& values, std::size_t number) {
  std::string command = "halfling run " + shell_word(values["experiment"].as<std::string>());
  for (const char* repeated : {"set", "plugin-path"})
    if (values.count(repeated) != 0)
      for (const std::string& word : values[repeated].as<Arguments>())
        command += std::string(" --") + repeated + " " + shell_word(word);
  if (values.count("init-from") != 0)
    command += " --init-from " + shell_word(values["init-from"].as<std::string>());
  if (!values["out"].defaulted()) command += " --out " + shell_word(values["out"].as<std::string>());
  if (!values["baseline"].defaulted())
    command += " --baseline " + shell_word(values["baseline"].as<std::string>());
  if (number != 0) command += " --trial " + std::to_string(number);
  return command + " --resume";
}

}  // namespace halfling::cli
