// SPDX-License-Identifier: Apache-2.0
#include "run/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <charconv>
#include <chrono>
#include <map>
#include <system_error>

#include "halfling/error.hpp"
#include "run/checkpoint_label.hpp"
#include "run/safetensors.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

constexpr const char* extension = ".safetensors";

std::vector<std::int64_t> extents(const Shape& shape) {
  std::vector<std::int64_t> result;
  for (int axis = 0; axis < shape.rank(); ++axis) result.push_back(shape[axis]);
  return result;
}

/// How to go on without this checkpoint.
std::string way_out(const fs::path& file) {
  std::optional<std::int64_t> older;
  for (const auto& [iteration, path] : kept_checkpoints(file.parent_path())) {
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
    if (!details.hint.empty())
      details.hint = way_out(file);  // it is damaged; one that cannot be read may be well
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

std::map<std::int64_t, fs::path> kept_checkpoints(const fs::path& folder) {
  std::map<std::int64_t, fs::path> found;
  std::error_code fault;
  fs::directory_iterator entry(folder, fault);
  for (; !fault && entry != fs::directory_iterator(); entry.increment(fault)) {
    const std::string stem = entry->path().stem().string();
    std::int64_t iteration = 0;
    const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), iteration);
    if (entry->path().extension() == extension && error == std::errc{} && end == stem.data() + stem.size())
      found[iteration] = entry->path();
  }
  // A folder that cannot be listed must never be taken for an empty one: a run would begin anew.
  if (fault && fault != std::errc::no_such_file_or_directory)
    throw Error({.what = "the folder of checkpoints cannot be read",
                 .where = folder.string(),
                 .got = fault.message(),
                 .expected = "a folder that you may list",
                 .kind = ErrorKind::usage});
  return found;
}

namespace {

void remove_older(std::map<std::int64_t, fs::path> present, const KeptCheckpoints& keep) {
  std::erase_if(present, [&](const auto& entry) {
    return std::ranges::find(keep.milestones, entry.first) != keep.milestones.end();
  });
  while (static_cast<std::int64_t>(present.size()) > keep.newest) {
    std::error_code ignored;  // an old checkpoint too many does no harm
    fs::remove(present.begin()->second, ignored);
    present.erase(present.begin());
  }
}

}  // namespace

CheckpointWritten write_checkpoint(const fs::path& folder, const KeptCheckpoints& keep,
                                   const Snapshot& snapshot) {
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
  remove_older(kept_checkpoints(folder), keep);
  return {snapshot.label().iteration, file, snapshot.size(),
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

std::optional<fs::path> newest_checkpoint(const fs::path& folder) {
  const std::map<std::int64_t, fs::path> present = kept_checkpoints(folder);
  if (present.empty()) return std::nullopt;
  return present.rbegin()->second;
}

CheckpointLabel read_label(const fs::path& file) {
  const SafetensorsFile tensors = open_checkpoint(file);
  try {
    return label_from(tensors.metadata());
  } catch (const Error& error) {
    throw unusable(file, error.details().what, error.details().got, error.details().expected);
  }
}

CheckpointContents read_contents(const fs::path& file) {
  const SafetensorsFile tensors = open_checkpoint(file);
  check_data(tensors, file);
  CheckpointContents contents{read_label(file), tensors.tensors(), tensors.metadata().contains(checksum_key)};
  std::ranges::sort(contents.tensors, {}, &TensorInfo::name);
  return contents;
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
