// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include <bit>

namespace halfling::tensorboard {
namespace {

enum WireType { wire_varint = 0, wire_64 = 1, wire_bytes = 2, wire_32 = 5 };

std::uint64_t key(int field, WireType type) {
  return static_cast<std::uint64_t>(field) << 3 | type;
}

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

void Message::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
  text_ += static_cast<char>(value);
}

/// Little-endian.
void Message::fixed(std::uint64_t bits, int count) {
  for (int i = 0; i < count; ++i) text_ += static_cast<char>(bits >> 8 * i);
}

Message& Message::integer(int field, std::uint64_t value) {
  varint(key(field, wire_varint));
  varint(value);
  return *this;
}

Message& Message::real(int field, double value) {
  varint(key(field, wire_64));
  fixed(std::bit_cast<std::uint64_t>(value), 8);
  return *this;
}

Message& Message::single(int field, float value) {
  varint(key(field, wire_32));
  fixed(std::bit_cast<std::uint32_t>(value), 4);
  return *this;
}

Message& Message::bytes(int field, std::string_view value) {
  varint(key(field, wire_bytes));
  varint(value.size());
  text_ += value;
  return *this;
}

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

}  // namespace halfling::tensorboard
