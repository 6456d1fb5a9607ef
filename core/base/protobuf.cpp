// SPDX-License-Identifier: Apache-2.0
#include "halfling/protobuf.hpp"

#include <bit>

namespace halfling {
namespace {

enum WireType { wire_varint = 0, wire_64 = 1, wire_bytes = 2, wire_32 = 5 };

std::uint64_t key(int field, WireType type) {
  return static_cast<std::uint64_t>(field) << 3 | type;
}

}  // namespace

void ProtobufMessage::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
  text_ += static_cast<char>(value);
}

/// Little-endian.
void ProtobufMessage::fixed(std::uint64_t bits, int count) {
  for (int i = 0; i < count; ++i) text_ += static_cast<char>(bits >> 8 * i);
}

ProtobufMessage& ProtobufMessage::integer(int field, std::uint64_t value) {
  varint(key(field, wire_varint));
  varint(value);
  return *this;
}

ProtobufMessage& ProtobufMessage::real(int field, double value) {
  varint(key(field, wire_64));
  fixed(std::bit_cast<std::uint64_t>(value), 8);
  return *this;
}

ProtobufMessage& ProtobufMessage::single(int field, float value) {
  varint(key(field, wire_32));
  fixed(std::bit_cast<std::uint32_t>(value), 4);
  return *this;
}

ProtobufMessage& ProtobufMessage::bytes(int field, std::string_view value) {
  varint(key(field, wire_bytes));
  varint(value.size());
  text_ += value;
  return *this;
}

}  // namespace halfling
