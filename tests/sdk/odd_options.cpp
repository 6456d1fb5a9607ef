// SPDX-License-Identifier: Apache-2.0
// A plugin that the host takes, and no experiment could use.
#include "halfling/reporter.hpp"

namespace {

class Odd final : public halfling::Reporter {
 public:
  explicit Odd(const halfling::Options&) {}
};

using enum halfling::OptionType;
constexpr halfling::OptionDeclaration options[] = {
    {"good", number, "", "0.5", "as it should be", 0, 1},
    {"not a key", number, "", "0.5", "nobody can write it"},
    {"required", boolean, "", "false", "the table has a key of this name"},
    {"good", number, "", "0.5", "is there already"},
    {"high", number, "", "2", "its default is out of range", 0, 1},
    {"silent", integer, "", "1", ""},
    {"torn", string, "", "\"a", "its default is no TOML"},
    {nullptr, number, "", "1", "has no name"},
};

}  // namespace

HALFLING_PLUGIN(Odd, "odd", "1.0.0", "options that no experiment could give", options)
