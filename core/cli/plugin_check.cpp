// SPDX-License-Identifier: Apache-2.0
// halfling plugins check FILE
#include "cli/plugin_check.hpp"

#include <iostream>
#include <span>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/plugin_description.hpp"
#include "experiment/declared_options.hpp"
#include "plugin/fingerprint.hpp"

namespace halfling::cli {
namespace {

using nlohmann::json;

/// Another file that offers what this one does: the two can never be on the search path together.
std::vector<ErrorDetails> name_faults(const Plugin& plugin, const std::vector<std::filesystem::path>& path) {
  const Registry registry = Registry::scan(path);
  const Plugin* twin = registry.find(plugin.descriptor->kind, plugin.descriptor->name);
  if (twin == nullptr || twin->file == plugin.file) return {};
  return {{.what = "another plugin has this kind and name",
           .got = std::string(twin->descriptor->kind) + "/" + twin->descriptor->name,
           .expected = "a name of its own",
           .hint = twin->file.string() + " has it"}};
}

json as_json(const std::vector<ErrorDetails>& faults) {
  json result = json::array();
  for (const ErrorDetails& fault : faults) {
    json row = {{"reason", fault.what}};
    for (const auto& [key, text] : {std::pair("where", &fault.where), std::pair("got", &fault.got),
                                    std::pair("expected", &fault.expected), std::pair("hint", &fault.hint)})
      if (!text->empty()) row[key] = *text;
    result.push_back(std::move(row));
  }
  return result;
}

int tell_taken(const Plugin& plugin, const std::vector<ErrorDetails>& faults, bool json_wanted) {
  const PluginDescriptor& d = *plugin.descriptor;
  const bool accepted = faults.empty();
  if (json_wanted) {
    json result = cli::as_json(plugin);
    result["accepted"] = accepted;
    result["abi_version"] = d.abi_version;
    result["fingerprint"] = d.fingerprint;
    if (accepted) result["options"] = options_json(d);  // else they may be of no use
    result["faults"] = as_json(faults);
    std::cout << json_text(result, 2) << "\n";
    return accepted ? exit_done : exit_failed;
  }
  std::cout << printable(plugin.file.string()) << ": " << (accepted ? "accepted" : "faulty") << "\n"
            << "  kind:       " << d.kind << "\n"
            << "  name:       " << printable(d.name) << " " << printable(d.version) << "\n"
            << "  summary:    " << printable(d.summary) << "\n"
            << "  interface:  version " << d.abi_version << ", as this program's\n"
            << "  built with: " << d.fingerprint << ", as this program\n";
  if (accepted) std::cout << "\n" << options_text(d);
  for (const ErrorDetails& fault : faults) std::cout << "\n" << printable_lines(format(fault)) << "\n";
  return accepted ? exit_done : exit_failed;
}

int tell_refused(const Refusal& refusal, bool json_wanted) {
  const auto differences = fingerprint_differences(refusal.reason.got, refusal.reason.expected);
  if (json_wanted) {
    json result = cli::as_json(refusal);
    result["accepted"] = false;
    result["differences"] = json::array();
    for (const FingerprintDifference& difference : differences)
      result["differences"].push_back(
          {{"what", difference.what}, {"plugin", difference.plugin}, {"program", difference.program}});
    std::cout << json_text(result, 2) << "\n";
    return exit_failed;
  }
  ErrorDetails reason = refusal.reason;
  reason.where.clear();
  std::cout << printable(refusal.file.string()) << ": refused\n";
  if (!refusal.name.empty())
    std::cout << "  claims to be: " << printable(refusal.kind + "/" + refusal.name) << "\n";
  std::cout << "\n" << printable_lines(format(reason)) << "\n";
  for (const FingerprintDifference& difference : differences)
    std::cout << "  differs in " << printable(text_of(difference)) << "\n";
  return exit_failed;
}

}  // namespace

int check_plugin(const std::filesystem::path& file, const std::vector<std::filesystem::path>& search_path,
                 bool json_wanted) {
  const Registry registry = Registry::scan_file(file);
  if (registry.plugins().empty()) return tell_refused(registry.refusals().front(), json_wanted);
  const Plugin& plugin = registry.plugins().front();
  std::vector<ErrorDetails> faults = declaration_faults(*plugin.descriptor);
  for (ErrorDetails& fault : name_faults(plugin, search_path)) faults.push_back(std::move(fault));
  return tell_taken(plugin, faults, json_wanted);
}

}  // namespace halfling::cli
