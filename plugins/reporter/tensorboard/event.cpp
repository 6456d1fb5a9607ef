// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include <charconv>

namespace halfling::tensorboard {
namespace {

using Message = ProtobufMessage;

/// Event: wall_time = 1, step = 2.
Message event(double wall_time, std::int64_t step) {
  Message result;
  result.real(1, wall_time).integer(2, static_cast<std::uint64_t>(step));
  return result;
}

/// Event.summary = 5; Summary.value = 1.
std::string summary_event(double wall_time, std::int64_t step, const std::vector<Message>& values) {
  Message summary;
  for (const Message& value : values) summary.message(1, value);
  return event(wall_time, step).message(5, summary).text();
}

}  // namespace

/// Event.file_version = 3.
std::string version_event(double wall_time) {
  return event(wall_time, 0).bytes(3, "brain.Event:2").text();
}

/// Event.session_log = 7; SessionLog.status = 1, START = 1.
std::string restart_event(double wall_time, std::int64_t step) {
  return event(wall_time, step).message(7, Message().integer(1, 1)).text();
}

/// Summary.Value: tag = 1, simple_value = 2.
std::string scalars_event(double wall_time, std::int64_t step, const std::vector<Scalar>& scalars) {
  std::vector<Message> values;
  for (const Scalar& scalar : scalars)
    values.push_back(Message().bytes(1, scalar.tag).single(2, static_cast<float>(scalar.value)));
  return summary_event(wall_time, step, values);
}

/// Summary.Value.image = 4; Summary.Image: height = 1, width = 2, colorspace = 3, encoded_image_string = 4.
std::string image_event(double wall_time, std::int64_t step, const std::string& tag,
                        const EncodedImage& image) {
  Message picture;
  picture.integer(1, static_cast<std::uint64_t>(image.height))
      .integer(2, static_cast<std::uint64_t>(image.width))
      .integer(3, static_cast<std::uint64_t>(image.channels))
      .bytes(4, image.png);
  return summary_event(wall_time, step, {Message().bytes(1, tag).message(4, picture)});
}

/// Summary.Value: tensor = 8, metadata = 9; TensorProto: dtype = 1 (DT_STRING = 7), tensor_shape = 2,
/// string_val = 8; SummaryMetadata.plugin_data = 1; PluginData.plugin_name = 1.
std::string text_event(double wall_time, std::int64_t step, const std::string& tag, const std::string& text) {
  const Message shape = Message().message(2, Message().integer(1, 1));  // dim = 2, size = 1
  const Message tensor = Message().integer(1, 7).message(2, shape).bytes(8, text);
  const Message metadata = Message().message(1, Message().bytes(1, "text"));
  return summary_event(wall_time, step, {Message().bytes(1, tag).message(8, tensor).message(9, metadata)});
}

namespace {

/// Summary.Value of plugin "hparams": tag = 1, metadata = 9; SummaryMetadata.plugin_data = 1; PluginData:
/// plugin_name = 1, content = 2. The content is a HParamsPluginData (plugin_data.proto).
std::string hparams_event(double wall_time, const std::string& tag, const Message& content) {
  const Message plugin = Message().bytes(1, "hparams").message(2, content);
  return summary_event(wall_time, 0,
                       {Message().bytes(1, "_hparams_/" + tag).message(9, Message().message(1, plugin))});
}

/// google.protobuf.Value: number_value = 2, string_value = 3, bool_value = 4.
Message value_of(const std::string& toml) {
  if (toml == "true" || toml == "false") return Message().integer(4, toml == "true" ? 1 : 0);
  double number = 0;
  const auto [end, error] = std::from_chars(toml.data(), toml.data() + toml.size(), number);
  if (error == std::errc{} && end == toml.data() + toml.size()) return Message().real(2, number);
  const bool quoted = toml.size() >= 2 && toml.front() == '"' && toml.back() == '"';
  return Message().bytes(3, quoted ? toml.substr(1, toml.size() - 2) : toml);
}

}  // namespace

/// HParamsPluginData.session_start_info = 3; SessionStartInfo: hparams = 1 (a map: key = 1, value = 2),
/// group_name = 4, start_time_secs = 5.
std::string hparams_start_event(double wall_time, const std::string& group,
                                const std::vector<std::pair<std::string, std::string>>& settings) {
  Message start;
  for (const auto& [key, toml] : settings)
    start.message(1, Message().bytes(1, key).message(2, value_of(toml)));
  start.bytes(4, group).real(5, wall_time);
  return hparams_event(wall_time, "session_start_info", Message().message(3, start));
}

/// HParamsPluginData.session_end_info = 4; SessionEndInfo: status = 1 (SUCCESS = 1, FAILURE = 2),
/// end_time_secs = 2.
std::string hparams_end_event(double wall_time, bool failed) {
  const Message end = Message().integer(1, failed ? 2 : 1).real(2, wall_time);
  return hparams_event(wall_time, "session_end_info", Message().message(4, end));
}

}  // namespace halfling::tensorboard
