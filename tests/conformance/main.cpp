// SPDX-License-Identifier: Apache-2.0
// Tests a backend, op by op, against the backend `reference`. Exit status: 0 all passed, 1 something failed,
// 2 wrong command line, 77 (skipped) where the backend finds no device.
#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <iostream>

#include "experiment/experiment.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"
#include "suite.hpp"

namespace halfling::conformance {
namespace {

namespace po = boost::program_options;
using Strings = std::vector<std::string>;

constexpr int skipped = 77;

std::unique_ptr<Backend> make(const Registry& registry, const std::string& name) {
  const PluginDescriptor& descriptor = *registry.get("backend", name).descriptor;
  return registry.create<Backend>(name, backend_options(Experiment{}, descriptor));
}

std::vector<Check> all_checks(Backend& tested, Backend& reference, const std::string& rounding_file) {
  std::vector<Check> checks = interface_checks(tested);
  const auto append = [&](const std::vector<Check>& more) {
    checks.insert(checks.end(), more.begin(), more.end());
  };
  append(comparisons(tested, reference));
  append(gradient_checks(tested));
  append(rounding_checks(tested, rounding_file));
  return checks;
}

std::string outcome(const Check& check) {
  try {
    return check.run();
  } catch (const std::exception& error) {
    return std::string("\n  ") + error.what();
  }
}

/// Runs the checks whose name contains `filter`; returns the exit status.
int run(const std::vector<Check>& checks, const std::string& backend, const std::string& filter,
        bool list_only) {
  int passed = 0;
  int failed = 0;
  for (const Check& check : checks) {
    if (check.name.find(filter) == std::string::npos) continue;
    if (list_only) {
      std::cout << check.name << "\n";
      continue;
    }
    const std::string wrong = outcome(check);
    wrong.empty() ? ++passed : ++failed;
    if (!wrong.empty())
      fmt::print("FAILED {}{}\n  again: conformance --backend {} --case {}\n", check.name, wrong, backend,
                 check.name);
  }
  if (list_only) return 0;
  fmt::print("conformance of {}: {} passed, {} failed\n", backend, passed, failed);
  if (passed + failed == 0) fmt::print("no case has \"{}\" in its name; see --list\n", filter);
  return failed > 0 || passed == 0 ? 1 : 0;
}

int test_backend(const po::variables_map& values) {
  const auto name = values["backend"].as<std::string>();
  const auto folders = values.count("plugin-path") ? values["plugin-path"].as<Strings>() : Strings{};
  const Registry registry = Registry::scan({folders.begin(), folders.end()});
  const auto reference = make(registry, "reference");
  const auto tested = make(registry, name);
  if (tested->devices().empty()) {
    fmt::print("{}: skipped, no device: {}\n", name, tested->unavailable());
    return skipped;
  }
  const std::vector<Check> checks = all_checks(*tested, *reference, values["rounding"].as<std::string>());
  return run(checks, name, values["case"].as<std::string>(), values.count("list") > 0);
}

int parse_and_test(int count, char** arguments) {
  po::options_description options("conformance --backend NAME [options]");
  options.add_options()("backend", po::value<std::string>()->required(), "the plugin to test")(
      "plugin-path", po::value<Strings>(), "look for plugins here first; may be given several times")(
      "case", po::value<std::string>()->default_value(""), "only cases whose name contains this")(
      "list", "only print the names of the cases")(
      "rounding", po::value<std::string>()->default_value(HALFLING_TEST_DATA "/rounding.safetensors"),
      "file of roundings to the half formats")("help", "this text");
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  po::variables_map values;
  po::store(po::command_line_parser(count, arguments).options(options).style(style).run(), values);
  if (values.count("help")) {
    std::cout << options;
    return 0;
  }
  po::notify(values);
  return test_backend(values);
}

}  // namespace
}  // namespace halfling::conformance

int main(int count, char** arguments) {
  try {
    return halfling::conformance::parse_and_test(count, arguments);
  } catch (const std::exception& error) {
    std::cerr << "conformance: " << error.what() << "\n";
    return 2;
  }
}
