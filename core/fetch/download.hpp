// SPDX-License-Identifier: Apache-2.0
// One file over HTTP.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace halfling {

struct DownloadRequest {
  std::string url;           ///< http or https; redirects are followed, ten at most, to these two only
  std::filesystem::path to;  ///< goes on where it ends; a server that cannot do that begins anew
  std::uint64_t bytes = 0;   ///< that the file has; 0: not known
  double stall_s = 30;       ///< without a byte, after which it is given up
  /// Bytes so far, and of all (0: not known).
  std::function<void(std::uint64_t, std::uint64_t)> progress = {};
};

/// Throws Error: the server's or the network's answer, a web page in the place of the data, more bytes than
/// the file has, a disk that is full, an interrupt. What has come stays in `to`, but where it cannot be part
/// of the file.
void download(const DownloadRequest& request);

}  // namespace halfling
