// SPDX-License-Identifier: Apache-2.0
// TensorBoard's events in protobuf's wire format (protobuf.dev, "Encoding"): the few fields of tensorflow's
// event.proto and summary.proto that scalars, images and a restart need.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halfling::tensorboard {

/// One message, field by field.
class Message {
 public:
  Message& integer(int field, std::uint64_t value);
  Message& real(int field, double value);   ///< double
  Message& single(int field, float value);  ///< float
  Message& bytes(int field, std::string_view value);
  Message& message(int field, const Message& value) { return bytes(field, value.text_); }
  const std::string& text() const { return text_; }

 private:
  void varint(std::uint64_t value);
  void fixed(std::uint64_t bits, int count);

  std::string text_;
};

struct Scalar {
  std::string tag;
  double value;
};

struct EncodedImage {
  int width, height, channels;
  std::string png;
};

/// `wall_time`: seconds since 1970; `step`: an iteration.
std::string version_event(double wall_time);
/// What was written of this step and later ones is void.
std::string restart_event(double wall_time, std::int64_t step);
std::string scalars_event(double wall_time, std::int64_t step, const std::vector<Scalar>& scalars);
std::string image_event(double wall_time, std::int64_t step, const std::string& tag,
                        const EncodedImage& image);
std::string text_event(double wall_time, std::int64_t step, const std::string& tag, const std::string& text);

}  // namespace halfling::tensorboard
