// SPDX-License-Identifier: Apache-2.0
// halfling devices
#include <fmt/format.h>

#include <array>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"
#include "experiment/experiment.hpp"
#include "halfling/backend.hpp"
#include "plugin/registry.hpp"

namespace halfling::cli {
namespace {

using nlohmann::json;

struct BackendDevices {
  std::string backend;
  std::vector<Device> devices;
  std::string unavailable;  ///< why there is none
};

// A backend that cannot even be made is one without devices, not the end of the list.
BackendDevices devices_of(const Registry& registry, const std::string& name) {
  BackendDevices result{name, {}, {}};
  try {
    const Options options = backend_options(Experiment{}, *registry.descriptor(Backend::kind, name));
    const auto backend = registry.create<Backend>(name, options);
    result.devices = backend->devices();
    if (result.devices.empty()) result.unavailable = backend->unavailable();
  } catch (const Error& error) {
    const ErrorDetails& reason = error.details();
    result.unavailable = reason.what + (reason.got.empty() ? "" : ": " + reason.got);
  }
  return result;
}

json as_json(const BackendDevices& found) {
  json result = {{"backend", found.backend}, {"devices", json::array()}};
  if (found.devices.empty()) result["unavailable"] = found.unavailable;
  for (const Device& device : found.devices) {
    json entry = {{"name", device.name}, {"memory_bytes", device.memory}, {"library", device.library}};
    for (const DType format : floating_formats) {
      entry["formats"][std::string(halfling::name_of(format))] = halfling::name_of(device.support(format));
    }
    result["devices"].push_back(std::move(entry));
  }
  return result;
}

void add_rows(std::vector<Row>& rows, const BackendDevices& found) {
  for (const Device& device : found.devices) {
    const double gib = static_cast<double>(device.memory) / (1 << 30);
    Row row = {found.backend, device.name, device.memory == 0 ? "unknown" : fmt::format("{:.1f} GiB", gib)};
    for (const DType format : floating_formats) row.emplace_back(halfling::name_of(device.support(format)));
    row.push_back(device.library);
    rows.push_back(std::move(row));
  }
}

void print_text(const std::vector<BackendDevices>& all) {
  std::vector<Row> rows = {{"BACKEND", "DEVICE", "MEMORY"}};
  for (const DType format : floating_formats) rows[0].emplace_back(halfling::name_of(format));
  rows[0].emplace_back("LIBRARY");
  for (const BackendDevices& found : all) add_rows(rows, found);
  if (rows.size() > 1) {
    std::cout
        << table(std::move(rows), output_width(),
                 {{"DEVICE", Narrowing::How::cut_end}, {"LIBRARY", Narrowing::How::cut_end}})
        << "\nnative: computed in hardware; emulated: its rounding is reproduced, its speed means nothing\n";
  }
  for (const BackendDevices& found : all) {
    if (found.devices.empty())
      std::cout << found.backend << ": no device; " << printable(found.unavailable) << "\n";
  }
  if (all.empty()) std::cout << "There is no backend plugin; see `halfling plugins`.\n";
}

}  // namespace

Grammar devices_grammar() {
  Grammar grammar{.synopsis = "devices [options]",
                  .description = "Lists every backend's devices and how they compute each number format."};
  add_plugin_path(grammar);
  add_format(grammar);
  return grammar;
}

int run_devices(const Values& values) {
  const bool json_wanted = wants_json(values);
  const Registry registry = Registry::scan(plugin_path(values));
  std::vector<BackendDevices> all;
  for (const std::string& name : registry.names(Backend::kind)) all.push_back(devices_of(registry, name));
  for (const Unbuilt& plugin : registry.unbuilt())
    if (plugin.kind == Backend::kind) all.push_back({plugin.name, {}, "not built, " + plugin.lacking});
  if (!json_wanted) {
    print_text(all);
    return exit_done;
  }
  json result = json::array();
  for (const BackendDevices& found : all) result.push_back(as_json(found));
  std::cout << json_text(result, 2) << "\n";
  return exit_done;
}

}  // namespace halfling::cli
