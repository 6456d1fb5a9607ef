// SPDX-License-Identifier: Apache-2.0
#include "fetch/unpack.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "fetch/digest.hpp"
#include "halfling/error.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes = std::uint64_t{16} << 30, most_entries = 1'000'000;

/// A folder that is removed again unless its contents were moved out of it.
class Workshop {
 public:
  explicit Workshop(const fs::path& folder) : path_(folder / fmt::format(".unpacking-{}", ::getpid())) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class Unpacking {
 public:
  Unpacking(const fs::path& archive, const fs::path& to)
      : file_(archive), to_(to), archive_(archive_read_new(), archive_read_free) {
    for (const auto support : {archive_read_support_format_tar, archive_read_support_format_zip,
                               archive_read_support_filter_gzip, archive_read_support_filter_bzip2,
                               archive_read_support_filter_xz, archive_read_support_filter_zstd})
      support(archive_.get());
    if (archive_read_open_filename(archive_.get(), archive.c_str(), 1 << 20) != ARCHIVE_OK) damaged();
  }

  void run() {
    archive_entry* entry = nullptr;
    int code = ARCHIVE_OK;
    while ((code = archive_read_next_header(archive_.get(), &entry)) == ARCHIVE_OK) take(entry);
    if (code != ARCHIVE_EOF) damaged();
  }

 private:
  void take(archive_entry* entry) {
    if (++entries_ > most_entries)
      refuse("an archive has more files than a data set can have", "more than a million", {});
    const char* name = archive_entry_pathname(entry);
    const fs::path path = name ? name : "";
    bool below = !path.empty() && path.is_relative();
    for (const fs::path& part : path) below = below && part != "..";
    const bool link = archive_entry_hardlink(entry) != nullptr || archive_entry_symlink(entry) != nullptr;
    const auto type = archive_entry_filetype(entry);
    if (!below || link || (type != AE_IFREG && type != AE_IFDIR))
      refuse("an archive has what no data set needs", path.string(),
             "files and folders below the archive's place, no links");
    if (type == AE_IFDIR) {
      fs::create_directories(to_ / path);
      return;
    }
    fs::create_directories((to_ / path).parent_path());
    write(to_ / path);
  }

  void write(const fs::path& path) {
    std::ofstream out(path, std::ios::binary);
    std::vector<char> block(1 << 20);
    for (la_ssize_t count = 0;
         (count = archive_read_data(archive_.get(), block.data(), block.size())) != 0;) {
      if (count < 0) damaged();
      bytes_ += static_cast<std::uint64_t>(count);
      if (bytes_ > most_bytes) refuse("an archive is larger than a data set can be", "more than 16 GiB", {});
      out.write(block.data(), count);
    }
    out.close();
    if (!out)
      throw Error(
          {.what = "a file cannot be written", .where = path.string(), .hint = "free some space there"});
  }

  [[noreturn]] void refuse(const char* what, std::string got, std::string expected) const {
    throw Error(
        {.what = what, .where = file_.string(), .got = std::move(got), .expected = std::move(expected)});
  }
  [[noreturn]] void damaged() const {
    const char* reason = archive_error_string(archive_.get());
    refuse("an archive is damaged", reason ? reason : "", {});
  }

  const fs::path& file_;
  const fs::path& to_;
  std::unique_ptr<struct archive, decltype(&archive_read_free)> archive_;
  std::uint64_t bytes_ = 0, entries_ = 0;
};

}  // namespace

namespace {

/// Below `from`, by their names there.
std::vector<fs::path> files_below(const fs::path& from) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(from))
    if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(from));
  return files;
}

/// What somebody else put there is never replaced.
bool is_there(const fs::path& made, const fs::path& target) {
  if (!fs::exists(fs::symlink_status(target))) return false;
  const bool same = fs::is_regular_file(fs::symlink_status(target)) &&
                    digest_of(made, "SHA256") == digest_of(target, "SHA256");
  if (same) return true;
  throw Error({.what = "something else has the name of a file of the archive",
               .where = target.string(),
               .hint = "move it away, or unpack into another folder with --to DIR",
               .kind = ErrorKind::usage});
}

}  // namespace

void unpack(const fs::path& archive, const fs::path& folder) {
  const Workshop workshop(folder);
  Unpacking(archive, workshop.path()).run();
  std::vector<fs::path> missing;
  for (const fs::path& name : files_below(workshop.path()))
    if (!is_there(workshop.path() / name, folder / name)) missing.push_back(name);
  for (const fs::path& name : missing) {
    fs::create_directories((folder / name).parent_path());
    fs::rename(workshop.path() / name, folder / name);
  }
}

}  // namespace halfling
