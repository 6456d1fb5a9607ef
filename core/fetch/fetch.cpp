// SPDX-License-Identifier: Apache-2.0
#include "fetch/fetch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "base/atomic_file.hpp"
#include "base/locked_folder.hpp"
#include "fetch/digest.hpp"
#include "fetch/download.hpp"
#include "fetch/unpack.hpp"
#include "fetch/web_page.hpp"
#include "halfling/error.hpp"
#include "train/interrupt.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

bool is_address(const std::string& mirror) {
  return mirror.starts_with("http://") || mirror.starts_with("https://");
}

/// What is wrong with a file; empty: it is the card's.
std::string fault_of(const fs::path& path, const CardFile& file) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) return error.message();
  std::string begin(std::min<std::uintmax_t>(size, 64), '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (is_page(begin)) return "a web page in the place of the data";
  if (file.bytes != 0 && size != file.bytes) return fmt::format("{} bytes instead of {}", size, file.bytes);
  const auto differs = [&](const char* method, const std::string& expected) {
    return !expected.empty() && digest_of(path, method) != expected;
  };
  if (differs("SHA256", file.sha256)) return "its SHA-256 is not " + file.sha256;
  if (differs("MD5", file.md5)) return "its MD5 is not " + file.md5;
  return {};
}

class Fetching {
 public:
  explicit Fetching(const FetchRequest& request) : request_(request) {}

  void get(const CardFile& file) {
    const fs::path target = request_.folder / file.name;
    if (fs::exists(target)) {
      const std::string fault = fault_of(target, file);
      if (fault.empty()) return finish(file, target, "is there already");
      note(fmt::format("{}: {}; it is fetched again", target.string(), fault));
    }
    const fs::path partial = target.string() + ".partial";
    if (is_whole(partial, file)) {  // the process ended before it got its name
      fs::rename(partial, target);
      return finish(file, target, "was fetched before");
    }
    for (const std::string& source : sources_of(file))
      if (try_source(file, source, partial)) {
        fs::rename(partial, target);
        return finish(file, target, "from " + source);
      }
    fail(file);
  }

 private:
  std::vector<std::string> sources_of(const CardFile& file) const {
    std::vector<std::string> sources;
    for (const std::string& mirror : request_.mirrors) {
      const std::string local = mirror.starts_with("file://") ? mirror.substr(7) : mirror;
      sources.push_back(is_address(mirror) ? mirror + (mirror.ends_with("/") ? "" : "/") + file.name
                                           : (fs::path(local) / file.name).string());
    }
    sources.insert(sources.end(), file.urls.begin(), file.urls.end());
    if (request_.offline) std::erase_if(sources, is_address);
    return sources;
  }

  /// What can never become the file is removed.
  static bool is_whole(const fs::path& partial, const CardFile& file) {
    std::error_code none;
    if (file.bytes == 0 || fs::file_size(partial, none) < file.bytes || none) return false;
    if (fault_of(partial, file).empty()) return true;
    fs::remove(partial, none);
    return false;
  }

  bool try_source(const CardFile& file, const std::string& source, const fs::path& partial) {
    try {
      if (is_address(source))
        fetch_from(file, source, partial);
      else
        fs::copy_file(source, partial, fs::copy_options::overwrite_existing);
      const std::string fault = fault_of(partial, file);
      if (fault.empty()) return true;
      fs::remove(partial);  // it would never become the file
      faults_.push_back(fmt::format("{}: {}", source, fault));
    } catch (const Error& error) {
      const ErrorDetails& details = error.details();
      faults_.push_back(
          fmt::format("{}: {}{}{}", source, details.what, details.got.empty() ? "" : ": ", details.got));
    } catch (const fs::filesystem_error& error) {
      faults_.push_back(fmt::format("{}: {}", source, error.code().message()));
    }
    if (interrupted()) fail(file);
    return false;
  }

  void fetch_from(const CardFile& file, const std::string& url, const fs::path& partial) const {
    download({.url = url,
              .to = partial,
              .bytes = file.bytes,
              .stall_s = request_.stall_s,
              .progress = [&](std::uint64_t so_far, std::uint64_t all) {
                if (request_.progress) request_.progress(file.name, so_far, all);
              }});
  }

  void finish(const CardFile& file, const fs::path& target, const std::string& how) {
    if (file.archive) unpack(target, request_.folder);
    const bool known = !file.sha256.empty() || !file.md5.empty();
    note(fmt::format("{}: {}{}{}", target.string(), how, file.archive ? ", unpacked" : "",
                     known ? "" : "; no checksum of it is known"));
  }

  [[noreturn]] void fail(const CardFile& file) const {
    const bool by_hand = !file.urls.empty() && !interrupted();
    throw Error(
        {.what = "a file of a data set could not be fetched",
         .where = (request_.folder / file.name).string(),
         .got = faults_.empty() ? "no mirror on this machine has it, and --offline asks no other"
                                : fmt::format("{}", fmt::join(faults_, "\n       ")),
         .hint = by_hand
                     ? fmt::format("where there is no network, fetch {} elsewhere and put it there, or name "
                                   "the folder that has it: --mirror FOLDER",
                                   file.urls.front())
                     : ""});
  }

  void note(const std::string& line) const {
    if (request_.note) request_.note(line);
  }

  const FetchRequest& request_;
  std::vector<std::string> faults_;
};

std::string licence_text(const Card& card) {
  std::string text =
      fmt::format("{}\nLicence: {}\n", card.title.empty() ? card.name : card.title, card.licence);
  if (!card.credit.empty()) text += card.credit + "\n";
  if (!card.source.empty()) text += card.source + "\n";
  if (!card.notes.empty()) text += card.notes + "\n";
  return text;
}

/// One process at a time fetches into a folder.
class Turn {
 public:
  /// A folder that cannot be opened is told by what is written into it.
  explicit Turn(const fs::path& folder) : descriptor_(open_locked(folder)) {
    if (descriptor_ >= 0 || errno != EWOULDBLOCK) return;
    throw Error({.what = "another process fetches into this folder",
                 .where = folder.string(),
                 .hint = "wait for its end",
                 .kind = ErrorKind::usage});
  }
  ~Turn() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  int descriptor_;
};

}  // namespace

void fetch(const FetchRequest& request) {
  try {
    fs::create_directories(request.folder);
    const Turn turn(request.folder);
    AtomicFile licence(request.folder / "LICENCE.txt");
    licence.write(licence_text(request.card));
    licence.commit();
    for (const CardFile& file : request.files) Fetching(request).get(file);
  } catch (const fs::filesystem_error& error) {
    throw Error({.what = "the data set's folder cannot be used",
                 .where = error.path1().string(),
                 .got = error.code().message(),
                 .hint = "choose another one with --to FOLDER",
                 .kind = ErrorKind::usage});
  }
  if (request.note) request.note(licence_text(request.card));
}

}  // namespace halfling
