// SPDX-License-Identifier: Apache-2.0
// halfling checkpoint FILE
#include "run/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"
#include "halfling/error.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// The file itself, or the newest one of a run folder.
fs::path file_of(const Values& values) {
  if (values.count("file") == 0)
    throw Error({.what = "checkpoint needs a file",
                 .expected = "halfling checkpoint FILE, or a run folder",
                 .hint = "see `halfling checkpoint --help`",
                 .kind = ErrorKind::usage});
  const fs::path given = values["file"].as<std::string>();
  std::error_code none;
  if (!fs::is_directory(given, none)) return given;
  if (const auto newest = newest_checkpoint(given / "checkpoints")) return *newest;
  throw Error({.what = "the run has no checkpoint yet",
               .where = (given / "checkpoints").string(),
               .kind = ErrorKind::usage});
}

std::string shape_text(const TensorInfo& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.shape, ", "));
}

std::uint64_t bytes_of(const CheckpointContents& contents) {
  std::uint64_t bytes = 0;
  for (const TensorInfo& tensor : contents.tensors) bytes += tensor.bytes();
  return bytes;
}

std::string text_of(const fs::path& file, const CheckpointContents& contents) {
  const CheckpointLabel& label = contents.label;
  std::string text = fmt::format("{}\n", file.string());
  text += fmt::format("  iteration {}, epoch {}, of trial {}\n", label.iteration, label.epoch, label.trial);
  text += fmt::format("  batches of {} images of {}, values {} to {}; classes: {}\n", label.spec.batch,
                      label.spec.image.text(), fmt::join(label.spec.values.low, ", "),
                      fmt::join(label.spec.values.high, ", "), fmt::join(label.classes, ", "));
  text += contents.checksum ? "  whole: its data have the checksum that was written\n"
                            : "  of an older version: it has no checksum, and sizes alone were compared\n";
  std::vector<Row> rows{{"STATE", "FORMAT", "SHAPE", "BYTES"}};
  for (const TensorInfo& tensor : contents.tensors)
    rows.push_back(
        {tensor.name, std::string(name_of(tensor.type)), shape_text(tensor), std::to_string(tensor.bytes())});
  rows.push_back(
      {fmt::format("{} states", contents.tensors.size()), "", "", std::to_string(bytes_of(contents))});
  return wrapped(printable_lines(text), output_width()) + "\n" +
         table(std::move(rows), output_width(), {{"STATE", Narrowing::How::cut_begin, 12}});
}

ordered_json json_of(const fs::path& file, const CheckpointContents& contents) {
  const CheckpointLabel& label = contents.label;
  ordered_json states = ordered_json::array();
  for (const TensorInfo& tensor : contents.tensors)
    states.push_back({{"name", tensor.name},
                      {"format", name_of(tensor.type)},
                      {"shape", tensor.shape},
                      {"bytes", tensor.bytes()}});
  const Shape& image = label.spec.image;
  return {{"file", file.string()},          {"trial", label.trial},
          {"iteration", label.iteration},   {"epoch", label.epoch},
          {"batch_size", label.spec.batch}, {"image", {image[0], image[1], image[2]}},
          {"classes", label.classes},       {"checksum", contents.checksum},
          {"bytes", bytes_of(contents)},    {"states", std::move(states)}};
}

}  // namespace

Grammar checkpoint_grammar() {
  Grammar grammar{.synopsis = "checkpoint FILE [options]",
                  .description =
                      "Says what is in a checkpoint, and whether it is whole. FILE may be a run folder: its\n"
                      "newest one.",
                  .positional = {"file"}};
  add_format(grammar);
  return grammar;
}

int run_checkpoint(const Values& values) {
  const fs::path file = file_of(values);
  const CheckpointContents contents = read_contents(file);
  if (wants_json(values))
    std::cout << json_text(json_of(file, contents), 2) << "\n";
  else
    std::cout << text_of(file, contents);
  return exit_done;
}

}  // namespace halfling::cli
