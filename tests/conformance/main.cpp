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

std::unique_ptr<Backend> make(const Registry& registry, const std::string& name, std::int64_t threads = 0) {
  const PluginDescriptor& descriptor = *registry.get("backend", name).descriptor;
  Experiment experiment;
  if (threads > 0) experiment.backend.options.set("threads", threads);
  return registry.create<Backend>(name, backend_options(experiment, descriptor));
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

struct Choice {
  std::string backend;
  std::string filter;    ///< only checks whose name contains it
  bool partial = false;  ///< what the backend refuses is counted, and is no failure
};

struct Counts {
  int passed = 0, failed = 0, refused = 0;
};

/// What is wrong; empty where nothing is.
std::string outcome(const Check& check, bool partial, Counts& counts) {
  std::string wrong;
  try {
    wrong = check.run();
  } catch (const Refused& refused) {
    if (partial) {
      ++counts.refused;
      return {};
    }
    wrong = std::string("\n  ") + refused.what();
  } catch (const std::exception& error) {
    wrong = std::string("\n  ") + error.what();
  }
  wrong.empty() ? ++counts.passed : ++counts.failed;
  return wrong;
}

/// Returns the exit status.
int run(const std::vector<Check>& checks, const Choice& choice) {
  Counts counts;
  for (const Check& check : checks) {
    if (check.name.find(choice.filter) == std::string::npos) continue;
    const std::string wrong = outcome(check, choice.partial, counts);
    if (!wrong.empty())
      fmt::print("FAILED {}{}\n  again: conformance --backend {} --case {}\n", check.name, wrong,
                 choice.backend, check.name);
  }
  fmt::print("conformance of {}: {} passed, {} failed", choice.backend, counts.passed, counts.failed);
  fmt::print("{}\n", choice.partial ? fmt::format(", {} refused", counts.refused) : "");
  if (counts.passed + counts.failed == 0)
    fmt::print("no case has \"{}\" in its name; see --list\n", choice.filter);
  return counts.failed > 0 || counts.passed == 0 ? 1 : 0;
}

int list(const std::vector<Check>& checks, const std::string& filter) {
  for (const Check& check : checks)
    if (check.name.find(filter) != std::string::npos) std::cout << check.name << "\n";
  return 0;
}

int test_backend(const po::variables_map& values) {
  const auto name = values["backend"].as<std::string>();
  const auto folders = values.count("plugin-path") ? values["plugin-path"].as<Strings>() : Strings{};
  const Registry registry = Registry::scan({folders.begin(), folders.end()});
  const auto reference = make(registry, "reference");
  const auto tested = make(registry, name, values["threads"].as<std::int64_t>());
  if (tested->devices().empty()) {
    fmt::print("{}: skipped, no device: {}\n", name, tested->unavailable());
    return skipped;
  }
  if (const std::string library = tested->devices()[0].library, &wanted = values["library"].as<std::string>();
      !library.ends_with(wanted)) {
    fmt::print("{}: skipped, it computes with \"{}\", not with \"…{}\"\n", name, library, wanted);
    return skipped;
  }
  const std::vector<Check> checks = all_checks(*tested, *reference, values["rounding"].as<std::string>());
  const Choice choice{name, values["case"].as<std::string>(), values.count("partial") > 0};
  return values.count("list") > 0 ? list(checks, choice.filter) : run(checks, choice);
}

int parse_and_test(int count, char** arguments) {
  po::options_description options("conformance --backend NAME [options]");
  options.add_options()("backend", po::value<std::string>()->required(), "the plugin to test")(
      "plugin-path", po::value<Strings>(), "look for plugins here first; may be given several times")(
      "case", po::value<std::string>()->default_value(""), "only cases whose name contains this")(
      "partial", "for a backend in the making: what it refuses is counted, and is no failure")(
      "threads", po::value<std::int64_t>()->default_value(0), "option of the backend; 0: as it sees fit")(
      "list", "only print the names of the cases")(
      "library", po::value<std::string>()->default_value(""),
      "skip all unless the device's library, as in `halfling devices`, ends with this")(
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
