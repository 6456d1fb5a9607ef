// SPDX-License-Identifier: Apache-2.0
#include "run/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <charconv>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "halfling/error.hpp"
#include "run/safetensors.hpp"

namespace halfling {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* extension = ".safetensors";

/// Checkpoints of a folder by iteration.
std::map<std::int64_t, fs::path> checkpoints(const fs::path& folder) {
  std::map<std::int64_t, fs::path> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string stem = entry.path().stem().string();
    std::int64_t iteration = 0;
    const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), iteration);
    if (entry.path().extension() == extension && error == std::errc{} && end == stem.data() + stem.size())
      found[iteration] = entry.path();
  }
  return found;
}

std::vector<std::int64_t> extents(const Shape& shape) {
  std::vector<std::int64_t> result;
  for (int axis = 0; axis < shape.rank(); ++axis) result.push_back(shape[axis]);
  return result;
}

TensorMetadata metadata_of(const CheckpointLabel& label) {
  const BatchSpec& spec = label.spec;
  return {{"format", "halfling"},
          {"halfling", HALFLING_VERSION},
          {"trial", label.trial},
          {"iteration", std::to_string(label.iteration)},
          {"epoch", std::to_string(label.epoch)},
          {"batch_size", std::to_string(spec.batch)},
          {"image", json(extents(spec.image)).dump()},
          {"low", json(spec.values.low).dump()},
          {"high", json(spec.values.high).dump()},
          {"classes", json(label.classes).dump()}};
}

/// How to go on without this checkpoint.
std::string way_out(const fs::path& file) {
  std::optional<std::int64_t> older;
  for (const auto& [iteration, path] : checkpoints(file.parent_path())) {
    if (path == file) break;
    older = iteration;
  }
  if (older) return fmt::format("remove this checkpoint to continue from the one of iteration {}", *older);
  return "there is no older checkpoint; remove this one to begin again from iteration 0";
}

Error unusable(const fs::path& file, std::string what, std::string got, std::string expected) {
  return Error({.what = std::move(what),
                .where = file.string(),
                .got = std::move(got),
                .expected = std::move(expected),
                .hint = way_out(file)});
}

SafetensorsFile open_checkpoint(const fs::path& file) {
  try {
    return SafetensorsFile(file);
  } catch (const Error& error) {
    ErrorDetails details = error.details();
    details.hint = way_out(file);
    throw Error(details);
  }
}

constexpr const char* checksum_key = "crc32c";

/// CRC-32C (Castagnoli) of the metadata, then of the tensors by name: whatever the order of the file.
class Checksum {
 public:
  explicit Checksum(const TensorMetadata& metadata) {
    for (const auto& [key, value] : metadata) {
      const std::string line = key + "=" + value + "\n";
      if (key != checksum_key) add(std::as_bytes(std::span(line)));
    }
  }
  void add(std::span<const std::byte> bytes) { crc_.process_bytes(bytes.data(), bytes.size()); }
  std::string text() const { return fmt::format("{:08x}", crc_.checksum()); }

 private:
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc_;
};

/// Checkpoints of before there was a checksum are taken as they are.
void check_data(const SafetensorsFile& tensors, const fs::path& file) {
  const auto expected = tensors.metadata().find(checksum_key);
  if (expected == tensors.metadata().end()) return;
  std::vector<std::string> names;
  for (const TensorInfo& tensor : tensors.tensors()) names.push_back(tensor.name);
  std::ranges::sort(names);
  Checksum checksum(tensors.metadata());
  for (const std::string& name : names) checksum.add(tensors.bytes(name));
  if (checksum.text() != expected->second)
    throw unusable(file, "the checkpoint is damaged: its data do not have the checksum that was written",
                   checksum.text(), expected->second);
}

std::string text_of(StoredType type, const std::vector<std::int64_t>& shape) {
  return fmt::format("{} [{}]", name_of(type), fmt::join(shape, ", "));
}

}  // namespace

CheckpointWritten write_checkpoint(const fs::path& folder, std::int64_t keep, const Snapshot& snapshot) {
  const auto begin = std::chrono::steady_clock::now();
  TensorMetadata metadata = metadata_of(snapshot.label());
  Checksum checksum(metadata);
  for (const TensorInfo& tensor : snapshot.tensors()) checksum.add(snapshot.bytes(tensor.name));
  metadata[checksum_key] = checksum.text();
  std::error_code told_by_the_file;
  fs::create_directories(folder, told_by_the_file);
  const fs::path file = folder / (std::to_string(snapshot.label().iteration) + extension);
  write_safetensors(file, snapshot.tensors(), metadata,
                    [&](const TensorInfo& tensor) { return snapshot.bytes(tensor.name); });
  std::map<std::int64_t, fs::path> present = checkpoints(folder);
  while (static_cast<std::int64_t>(present.size()) > keep) {
    std::error_code ignored;  // an old checkpoint too many does no harm
    fs::remove(present.begin()->second, ignored);
    present.erase(present.begin());
  }
  return {snapshot.label().iteration, file, snapshot.size(),
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

std::optional<fs::path> newest_checkpoint(const fs::path& folder) {
  const std::map<std::int64_t, fs::path> present = checkpoints(folder);
  if (present.empty()) return std::nullopt;
  return present.rbegin()->second;
}

CheckpointLabel read_label(const fs::path& file) {
  const SafetensorsFile tensors = open_checkpoint(file);
  try {
    const auto value = [&](const char* key) { return json::parse(tensors.metadata().at(key)); };
    CheckpointLabel label;
    label.trial = tensors.metadata().at("trial");
    label.iteration = value("iteration");
    label.epoch = value("epoch");
    label.classes = value("classes").get<std::vector<std::string>>();
    const auto image = value("image").get<std::array<std::int64_t, 3>>();
    label.spec = {
        value("batch_size"), {image[0], image[1], image[2]}, static_cast<std::int64_t>(label.classes.size())};
    if (tensors.metadata().contains("low"))  // written since there are ranges other than [0, 1]
      label.spec.values = {value("low"), value("high")};
    return label;
  } catch (const std::exception& error) {
    throw unusable(file, "this is no checkpoint of halfling", error.what(),
                   "metadata written by `halfling run`");
  }
}

void load_states(const fs::path& file, const std::vector<State>& states, Session& session) {
  const SafetensorsFile tensors = open_checkpoint(file);
  check_data(tensors, file);
  for (const State& state : states) {
    const std::string expected = text_of(stored_type(state.dtype), extents(state.shape));
    if (!tensors.contains(state.name))
      throw unusable(file, "the checkpoint lacks a state", "no " + state.name, expected);
    const TensorInfo& info = tensors.info(state.name);
    const std::string got = text_of(info.type, info.shape);
    if (got != expected)
      throw unusable(file, "a state of the checkpoint is not the experiment's", state.name + " " + got,
                     expected);
    session.write_state(state.name, tensors.bytes(state.name));
  }
}

}  // namespace halfling
