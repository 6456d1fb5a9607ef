// SPDX-License-Identifier: Apache-2.0
#include "run/origin_changes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/content_hash.hpp"
#include "base/json_text.hpp"

namespace halfling {
namespace {

using nlohmann::ordered_json;

constexpr const char* last_bits = "results may differ in their last bits from those of an unbroken run";

constexpr std::int64_t most_hashed = 16;  // samples: before the first iteration, and pictures take their time

struct Fact {
  const char* pointer;
  const char* name;
  const char* effect;
};

constexpr Fact facts[] = {
    {"/commit", "the program's commit", last_bits},
    {"/halfling", "halfling's version", last_bits},
    {"/data", "the data set's content", "it goes on with other samples than it began with"},
    {"/device/backend", "the backend", last_bits},
    {"/device/name", "the device", last_bits},
    {"/device/library", "the backend's library", last_bits},
    {"/processor", "the processor", last_bits},
    {"/threads", "the number of threads", last_bits},
};

const ordered_json* at(const ordered_json& environment, const char* pointer) {
  const ordered_json::json_pointer place(pointer);
  const bool known = environment.is_object() && environment.contains(place) && !environment[place].is_null();
  return known ? &environment[place] : nullptr;
}

std::string shown(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

}  // namespace

std::string data_fingerprint(const Dataset& dataset) try {
  ContentHash hash;
  hash.add(fmt::format("{} {}\n", dataset.size(), dataset.sample_shape().text()));
  for (const std::string& name : dataset.classes()) hash.add(name + "\n");
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(dataset.sample_shape().elements()));
  const std::int64_t count = std::min<std::int64_t>(dataset.size(), most_hashed);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int32_t label = dataset.read(i * dataset.size() / count, pixels);
    hash.add(std::as_bytes(std::span(pixels)));
    hash.add(fmt::format("{}\n", label));
  }
  return hash.text();
} catch (const std::exception&) {  // told when the sample's turn comes
  return {};
}

std::vector<std::string> changes_between(const ordered_json& before, const ordered_json& now) {
  std::vector<std::string> lines;
  for (const Fact& fact : facts) {
    const ordered_json *was = at(before, fact.pointer), *is = at(now, fact.pointer);
    if (was && is && *was != *is)
      lines.push_back(
          fmt::format("note: {} was {}, is now {}: {}", fact.name, shown(*was), shown(*is), fact.effect));
  }
  return lines;
}

ordered_json with_history(ordered_json now, const ordered_json& before) {
  ordered_json history = before.is_object() && before.contains("before") && before["before"].is_array()
                             ? before["before"]
                             : ordered_json::array();
  ordered_json last = ordered_json::object();
  if (const ordered_json* date = at(before, "/date")) last["date"] = *date;
  for (const Fact& fact : facts)
    if (const ordered_json* value = at(before, fact.pointer))
      last[ordered_json::json_pointer(fact.pointer)] = *value;
  if (!last.empty()) history.push_back(std::move(last));
  if (!history.empty()) now["before"] = std::move(history);
  return now;
}

}  // namespace halfling
