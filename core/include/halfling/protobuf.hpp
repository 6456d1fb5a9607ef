// SPDX-License-Identifier: Apache-2.0
// Messages in protobuf's wire format (protobuf.dev, "Encoding"), for the few that halfling writes:
// TensorBoard's events and ONNX.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "halfling/export.hpp"

namespace halfling {

/// One message, field by field; the numbers are those of its .proto file. A field that is given several times
/// is a repeated one.
class HALFLING_API ProtobufMessage {
 public:
  ProtobufMessage& integer(int field, std::uint64_t value);   ///< int32, int64, uint64, bool, enumerations
  ProtobufMessage& real(int field, double value);             ///< double
  ProtobufMessage& single(int field, float value);            ///< float
  ProtobufMessage& bytes(int field, std::string_view value);  ///< string, bytes
  ProtobufMessage& message(int field, const ProtobufMessage& value) { return bytes(field, value.text_); }
  const std::string& text() const { return text_; }

 private:
  void varint(std::uint64_t value);
  void fixed(std::uint64_t bits, int count);

  std::string text_;
};

}  // namespace halfling
