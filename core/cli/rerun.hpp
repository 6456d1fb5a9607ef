// SPDX-License-Identifier: Apache-2.0
// The command line with which one trial can be run again.
#pragma once

#include <string>

#include "cli/command.hpp"

namespace halfling::cli {

/// "halfling run FILE --set 'a.b="c d"' --trial 3 --resume": the given arguments of run, for one trial, as a
/// shell reads them. `number` from 1; 0: without --trial.
std::string rerun_command(const boost::program_options::variables_map& values, std::size_t number);

}  // namespace halfling::cli
