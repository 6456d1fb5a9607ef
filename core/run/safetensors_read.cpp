// SPDX-License-Identifier: Apache-2.0
// Reading: every rule of the format is checked before a tensor is given away.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

#include "base/json_text.hpp"
#include "halfling/error.hpp"
#include "run/safetensors.hpp"

namespace halfling {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t longest_header = 100'000'000;  // the reference implementation's limit

struct Entry {
  TensorInfo info;
  std::uint64_t begin = 0, end = 0;
};

[[noreturn]] void damaged(const std::string& where, std::string got, std::string expected) {
  throw Error({.what = "this is not a whole safetensors file",
               .where = where,
               .got = std::move(got),
               .expected = std::move(expected),
               .hint = "the file is damaged, cut short or of another format; use another checkpoint"});
}

std::string excerpt(const Json& value) {
  return json_text(value).substr(0, 120);
}

/// Finds what the JSON library takes without a word: the last of two equal keys.
class EqualKeys : public nlohmann::json_sax<Json> {
 public:
  std::string found;

  bool start_object(std::size_t) override { return keys_.emplace_back(), true; }
  bool end_object() override { return keys_.pop_back(), true; }
  bool key(std::string& name) override {
    if (keys_.back().insert(name).second) return true;
    found = name;
    return false;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(Json::binary_t&) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  std::vector<std::unordered_set<std::string>> keys_;  // of the objects that are open, outermost first
};

Json parse_header(std::string_view text, const std::string& file) {
  if (text.empty() || text.front() != '{')
    damaged(file, "a header that is no JSON object", "a header that begins with '{'");
  if (nested_deeper(text, 16))
    damaged(file, "a header of brackets in brackets in brackets", "at most 16 deep");
  EqualKeys keys;
  if (!Json::sax_parse(text, &keys) && !keys.found.empty())
    damaged(file, "two entries named " + excerpt(Json(keys.found)), "each name once");
  Json header = Json::parse(text, nullptr, false);
  if (header.is_discarded()) damaged(file, "a header that is no JSON", "a JSON header");
  return header;
}

StoredType type_from(const std::string& name, const std::string& where) {
  for (int i = 0; i <= static_cast<int>(StoredType::boolean); ++i) {
    if (name_of(static_cast<StoredType>(i)) == name) return static_cast<StoredType>(i);
  }
  throw Error({.what = "a tensor has a number format that halfling does not know",
               .where = where,
               .got = name,
               .expected = "F64, I64, F32, I32, F16, BF16, U8 or BOOL"});
}

std::uint64_t unsigned_from(const Json& value, const std::string& where) {
  if (!value.is_number_unsigned()) damaged(where, excerpt(value), "a whole number that is not negative");
  return value.get<std::uint64_t>();
}

const Json& member(const Json& object, const char* key, Json::value_t type, const std::string& where) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || found->type() != type) {
    damaged(where, excerpt(object), R"({"dtype": "...", "shape": [...], "data_offsets": [begin, end]})");
  }
  return *found;
}

Entry entry_from(const std::string& name, const Json& value, const std::string& file) {
  const std::string where = file + ", tensor " + name;
  Entry entry;
  entry.info.name = name;
  entry.info.type = type_from(member(value, "dtype", Json::value_t::string, where).get<std::string>(), where);
  std::uint64_t bytes = size_of(entry.info.type);
  for (const Json& extent : member(value, "shape", Json::value_t::array, where)) {
    const std::uint64_t count = unsigned_from(extent, where);
    if (__builtin_mul_overflow(bytes, count, &bytes) || count > INT64_MAX) {
      damaged(where, "shape " + excerpt(value["shape"]), "a size that fits 64 bits");
    }
    entry.info.shape.push_back(static_cast<std::int64_t>(count));
  }
  const Json& offsets = member(value, "data_offsets", Json::value_t::array, where);
  if (offsets.size() != 2) damaged(where, "data_offsets " + excerpt(offsets), "[begin, end]");
  entry.begin = unsigned_from(offsets[0], where);
  entry.end = unsigned_from(offsets[1], where);
  if (entry.end < entry.begin || entry.end - entry.begin != bytes) {
    damaged(where, "data_offsets " + excerpt(offsets), std::to_string(bytes) + " bytes, as its shape says");
  }
  return entry;
}

TensorMetadata metadata_from(const Json& value, const std::string& file) {
  const bool fits = value.is_object() &&
                    std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_string(); });
  if (!fits) damaged(file + ", __metadata__", excerpt(value), "an object of strings");
  return value.get<TensorMetadata>();
}

/// Neither holes nor overlaps, from the start of the data to the file's end.
void check_packing(std::vector<Entry>& entries, std::uint64_t data_bytes, const std::string& file) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t end = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != end) {
      damaged(file + ", tensor " + entry.info.name, "data from byte " + std::to_string(entry.begin),
              "data from byte " + std::to_string(end) + ", where the tensor before it ends");
    }
    end = entry.end;
  }
  if (end != data_bytes) {
    damaged(file, std::to_string(data_bytes) + " bytes of data",
            std::to_string(end) + " bytes of data, as the header says");
  }
}

/// By its descriptor: a file that is mapped and becomes shorter would end the process.
class Bytes {
 public:
  /// A pipe is not waited for.
  explicit Bytes(const std::string& file)
      : file_(file), descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) unreadable(std::generic_category().message(errno));
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(descriptor_);
      unreadable("not a regular file");
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~Bytes() { ::close(descriptor_); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  std::uint64_t size() const { return size_; }

  std::vector<std::byte> at(std::uint64_t offset, std::uint64_t count) const {
    std::vector<std::byte> bytes(count);
    for (std::uint64_t done = 0; done < count;) {
      const ssize_t got =
          ::pread(descriptor_, bytes.data() + done, count - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) unreadable(std::generic_category().message(errno));
      if (got == 0)
        damaged(file_,
                "it ends after " + std::to_string(offset + done) + " bytes, and had more when it was opened",
                std::to_string(size_) + " bytes");
      done += static_cast<std::uint64_t>(got);
    }
    return bytes;
  }

 private:
  [[noreturn]] void unreadable(std::string why) const {
    throw Error({.what = "a file cannot be read", .where = file_, .got = std::move(why)});
  }

  std::string file_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace

struct SafetensorsFile::Impl {
  explicit Impl(const std::string& path);

  std::size_t place_of(std::string_view name) const;

  std::string file;
  Bytes bytes;
  std::uint64_t data = 0;  ///< where it begins
  TensorMetadata metadata;
  std::vector<TensorInfo> tensors;
  std::vector<std::uint64_t> offsets;
  std::unordered_map<std::string_view, std::size_t> places;
};

SafetensorsFile::Impl::Impl(const std::string& path) : file(path), bytes(path) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length)
    damaged(file, std::to_string(bytes.size()) + " bytes", "at least 8 bytes");
  std::memcpy(&length, bytes.at(0, sizeof length).data(), sizeof length);
  const std::uint64_t room = bytes.size() - sizeof length;
  if (length > std::min(longest_header, room)) {
    damaged(file, "a header of " + std::to_string(length) + " bytes",
            "at most " + std::to_string(std::min(longest_header, room)) + " bytes");
  }
  data = sizeof length + length;
  const std::vector<std::byte> text = bytes.at(sizeof length, length);
  const Json header = parse_header({reinterpret_cast<const char*>(text.data()), text.size()}, file);
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") {
      metadata = metadata_from(value, file);
    } else {
      entries.push_back(entry_from(name, value, file));
    }
  }
  check_packing(entries, bytes.size() - data, file);
  tensors.reserve(entries.size());  // places keeps views of the names
  for (Entry& entry : entries) {
    places.emplace(tensors.emplace_back(std::move(entry.info)).name, offsets.size());
    offsets.push_back(entry.begin);
  }
}

std::size_t SafetensorsFile::Impl::place_of(std::string_view name) const {
  const auto found = places.find(name);
  if (found != places.end()) return found->second;
  throw Error({.what = "a tensor is missing from a file",
               .where = file,
               .got = std::to_string(tensors.size()) + " other tensors",
               .expected = std::string(name)});
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& file)
    : impl_(std::make_unique<Impl>(file.string())) {}

SafetensorsFile::~SafetensorsFile() = default;

const std::vector<TensorInfo>& SafetensorsFile::tensors() const {
  return impl_->tensors;
}

const TensorMetadata& SafetensorsFile::metadata() const {
  return impl_->metadata;
}

bool SafetensorsFile::contains(std::string_view name) const {
  return impl_->places.contains(name);
}

const TensorInfo& SafetensorsFile::info(std::string_view name) const {
  return impl_->tensors[impl_->place_of(name)];
}

std::vector<std::byte> SafetensorsFile::bytes(std::string_view name) const {
  const std::size_t place = impl_->place_of(name);
  return impl_->bytes.at(impl_->data + impl_->offsets[place], impl_->tensors[place].bytes());
}

}  // namespace halfling
