// SPDX-License-Identifier: Apache-2.0
#include "plugin/boundary.hpp"

#include <new>

namespace halfling {
namespace {

constexpr const char* plugins_fault = "this is a fault of the plugin, not of the experiment; tell its author";

}  // namespace

PluginOutOfMemory::~PluginOutOfMemory() = default;

Boundary::Boundary(const Plugin& plugin) : plugin_(plugin) {}

std::string Boundary::identity() const {
  return std::string(plugin_.descriptor->kind) + "/" + plugin_.descriptor->name;
}

PluginCall Boundary::here(const char* call) const {
  return {plugin_.file.c_str(), plugin_.descriptor->kind, plugin_.descriptor->name, call};
}

std::string Boundary::place(const char* call) const {
  return std::string(call) + " of plugin " + identity() + " (" + plugin_.file.string() + ")";
}

void Boundary::refuse(const char* call, ErrorDetails details) const {
  details.where += (details.where.empty() ? "" : ", in ") + place(call);
  throw Error(std::move(details));
}

void Boundary::rethrow(const char* call) const {
  try {
    throw;
  } catch (const OutOfMemory&) {
    throw;  // of a device, and handled as such
  } catch (const Error& error) {
    refuse(call, error.details());
  } catch (const std::bad_alloc&) {
    throw PluginOutOfMemory({.what = "memory ran out",
                             .where = place(call),
                             .hint = "lower input.batch_size, or give the plugin less to hold"});
  } catch (const std::exception& error) {
    refuse(call, {.what = "a plugin failed", .got = error.what(), .hint = plugins_fault});
  } catch (...) {
    refuse(call, {.what = "a plugin failed",
                  .got = "an exception that is no std::exception",
                  .expected = "halfling::Error",
                  .hint = plugins_fault});
  }
}

}  // namespace halfling
