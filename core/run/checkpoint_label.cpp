// SPDX-License-Identifier: Apache-2.0
#include "run/checkpoint_label.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/json_number.hpp"
#include "base/json_text.hpp"
#include "halfling/error.hpp"

namespace halfling {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t longest_side = 1 << 16;

class Metadata {
 public:
  explicit Metadata(const TensorMetadata& metadata) : metadata_(metadata) {}

  const std::string& text(const std::string& key) const {
    const auto found = metadata_.find(key);
    if (found == metadata_.end()) refuse("no \"" + key + "\"", "metadata written by `halfling run`");
    return found->second;
  }

  std::int64_t integer(const std::string& key, std::int64_t least, std::int64_t most) const {
    return integer(key, parse_json(text(key)), least, most);
  }

  Shape image() const {
    const ordered_json list = parse_json(text("image"));
    if (!list.is_array() || list.size() != 3) refuse(shown("image"), "[channels, height, width]");
    return {integer("image", list[0], 1, longest_side), integer("image", list[1], 1, longest_side),
            integer("image", list[2], 1, longest_side)};
  }

  std::vector<std::string> classes() const {
    const ordered_json list = parse_json(text("classes"));
    bool good = list.is_array() && !list.empty();
    for (const ordered_json& name : list) good = good && name.is_string();
    if (!good) refuse(shown("classes"), "a list of names");
    return list.get<std::vector<std::string>>();
  }

  /// Checkpoints of before there were ranges other than [0, 1] have none.
  ValueRange values(std::int64_t channels) const {
    if (!metadata_.contains("low")) return {};
    ValueRange range{numbers("low"), numbers("high")};
    if (!is_range(range, channels))
      refuse(shown("low") + ", " + shown("high"), "numbers low < high, one or one for each channel");
    return range;
  }

  [[noreturn]] static void refuse(std::string got, std::string expected) {
    throw Error({.what = "this is no checkpoint of halfling",
                 .got = std::move(got),
                 .expected = std::move(expected)});
  }
  std::string shown(const std::string& key) const { return key + " " + text(key).substr(0, 80); }

 private:
  std::int64_t integer(const std::string& key, const ordered_json& value, std::int64_t least,
                       std::int64_t most) const {
    if (const auto number = whole_number(value, least, most)) return *number;
    refuse(shown(key), fmt::format("whole numbers from {} to {}", least, most));
  }

  std::vector<double> numbers(const std::string& key) const {
    const ordered_json list = parse_json(text(key));
    bool good = list.is_array();
    for (const ordered_json& value : list)
      good = good && value.is_number() && std::isfinite(value.get<double>());
    if (!good) refuse(shown(key), "a list of numbers");
    return list.get<std::vector<double>>();
  }

  const TensorMetadata& metadata_;
};

}  // namespace

TensorMetadata metadata_of(const CheckpointLabel& label) {
  const BatchSpec& spec = label.spec;
  const auto list = [](const auto& values) { return json_text(ordered_json(values)); };
  return {{"format", "halfling"},
          {"halfling", HALFLING_VERSION},
          {"trial", label.trial},
          {"iteration", std::to_string(label.iteration)},
          {"epoch", std::to_string(label.epoch)},
          {"batch_size", std::to_string(spec.batch)},
          {"image", list(std::vector{spec.image[0], spec.image[1], spec.image[2]})},
          {"low", list(spec.values.low)},
          {"high", list(spec.values.high)},
          {"classes", list(label.classes)}};
}

CheckpointLabel label_from(const TensorMetadata& metadata) {
  const Metadata from(metadata);
  if (from.text("format") != "halfling") Metadata::refuse(from.shown("format"), "format halfling");
  CheckpointLabel label;
  label.trial = from.text("trial");
  label.iteration = from.integer("iteration", 0, most_exact);
  label.epoch = from.integer("epoch", 0, most_exact);
  label.classes = from.classes();
  label.spec = {.batch = from.integer("batch_size", 1, 1 << 30),
                .image = from.image(),
                .classes = static_cast<std::int64_t>(label.classes.size())};
  label.spec.values = from.values(label.spec.image[0]);
  return label;
}

}  // namespace halfling
