// SPDX-License-Identifier: Apache-2.0
#include "event_file.hpp"

#include <unistd.h>

#include <array>
#include <boost/crc.hpp>
#include <cstdint>
#include <string>

#include "halfling/error.hpp"

namespace halfling::tensorboard {
namespace {

/// CRC-32C, rotated and shifted, so that the checksum of what has a checksum in it is none by itself.
std::uint32_t checksum(std::string_view data) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(data.data(), data.size());
  const auto value = static_cast<std::uint32_t>(crc.checksum());
  return ((value >> 15) | (value << 17)) + 0xa282ead8u;
}

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i);
  return text;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data() : "host";
}

}  // namespace

void EventFile::open(const std::filesystem::path& folder, double wall_time) {
  std::error_code told_by_the_file;
  std::filesystem::create_directories(folder, told_by_the_file);
  const auto seconds = std::to_string(static_cast<std::int64_t>(wall_time));
  path_ = folder / ("events.out.tfevents." + seconds + "." + host_name() + "." + std::to_string(::getpid()));
  file_.open(path_, std::ios::binary | std::ios::app);
  if (!file_) throw Error({.what = "TensorBoard's events cannot be written", .where = path_.string()});
}

void EventFile::append(std::string_view record) {
  const std::string length = little_endian(record.size(), 8);
  file_ << length << little_endian(checksum(length), 4) << record << little_endian(checksum(record), 4)
        << std::flush;
  if (!file_) throw Error({.what = "TensorBoard's events cannot be written", .where = path_.string()});
}

}  // namespace halfling::tensorboard
