// SPDX-License-Identifier: Apache-2.0
#include "cifar_file.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "halfling/error.hpp"

namespace halfling {

namespace {

constexpr CifarLabel labels_10[] = {{"batches.meta.txt", 10}};
constexpr CifarLabel labels_100[] = {{"coarse_label_names.txt", 20}, {"fine_label_names.txt", 100}};
constexpr const char* train_10[] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                    "data_batch_4.bin", "data_batch_5.bin"};
constexpr const char* test_10[] = {"test_batch.bin"};
constexpr const char* train_100[] = {"train.bin"};
constexpr const char* test_100[] = {"test.bin"};

/// Whether every record of this format that begins `shift` bytes late has labels of its classes.
bool fits(const DataFile& file, const CifarFormat& format, std::int64_t shift) {
  const std::int64_t step = format.record_bytes();
  const auto count = static_cast<std::int64_t>(format.labels.size());
  std::array<std::uint8_t, 2> labels{};
  for (std::int64_t at = shift; at + count < file.size(); at += step) {  // what has an image, too
    file.read(at, std::span(labels).first(format.labels.size()));
    for (std::size_t i = 0; i < format.labels.size(); ++i)
      if (labels[i] >= format.labels[i].classes) return false;
  }
  return true;
}

}  // namespace

const CifarFormat cifar10{"cifar10", "CIFAR-10", "cifar-10-binary.tar.gz", "cifar-10-batches-bin", labels_10,
                          train_10,  test_10};
const CifarFormat cifar100{"cifar100", "CIFAR-100", "cifar-100-binary.tar.gz", "cifar-100-binary", labels_100,
                           train_100,  test_100};

CifarFile::CifarFile(const std::string& name, const CifarFormat& format)
    : format_(&format), file_(name, "records of a label and an image") {
  const std::int64_t step = format.record_bytes(), rest = file_.size() % step;
  if (rest != 0) {
    throw Error({.what = "a data file does not consist of whole records",
                 .where = file_.place(file_.size() - rest),
                 .got = std::to_string(file_.size()) + " bytes: " + std::to_string(records()) +
                        " records and " + std::to_string(rest) + " bytes",
                 .expected = "records of " + std::to_string(step) + " bytes",
                 .hint = what_it_may_be(),
                 .kind = ErrorKind::usage});
  }
  for (std::int64_t record = 0; record < records(); ++record)
    for (std::size_t which = 0; which < format.labels.size(); ++which) label(record, which);
}

int CifarFile::label(std::int64_t record, std::size_t which) const {
  std::uint8_t label = 0;
  file_.read(record * format_->record_bytes() + static_cast<std::int64_t>(which), {&label, 1});
  check_label(record, which, label);
  return label;
}

int CifarFile::read(std::int64_t record, std::size_t which, std::span<std::uint8_t> pixels) const {
  constexpr std::size_t most_labels = 2;
  std::array<std::uint8_t, most_labels + CifarFormat::image_bytes> bytes{};
  const auto whole = std::span(bytes).first(static_cast<std::size_t>(format_->record_bytes()));
  file_.read(record * format_->record_bytes(), whole);
  check_label(record, which, whole[which]);
  std::ranges::copy(whole.subspan(format_->labels.size()), pixels.begin());
  return whole[which];
}

void CifarFile::check_label(std::int64_t record, std::size_t which, int label) const {
  if (label >= format_->labels[which].classes) refuse_label(record, which, label);
}

void CifarFile::refuse_label(std::int64_t record, std::size_t which, int label) const {
  const std::int64_t step = format_->record_bytes();
  throw Error({.what = "a label is out of range",
               .where = file_.place(record * step + static_cast<std::int64_t>(which)),
               .got = "label " + std::to_string(label) + " of record " + std::to_string(record),
               .expected = "a label from 0 to " + std::to_string(format_->labels[which].classes - 1) +
                           " every " + std::to_string(step) + " bytes",
               .hint = what_it_may_be(),
               .kind = ErrorKind::usage});
}

/// The hint about a file that is none of this format.
std::string CifarFile::what_it_may_be() const {
  const CifarFormat& other = format_ == &cifar10 ? cifar100 : cifar10;
  std::array<std::uint8_t, 2> first{};
  file_.read_some(0, first);
  const std::string fetch = "; fetch " + format_->url();
  if (first[0] == '<') return "this looks like a web page saved in the place of the data" + fetch;
  if (first[0] == 0x1f && first[1] == 0x8b) return "this is compressed: unpack it with tar xzf";
  if (first[0] == 0x80 && first[1] >= 2 && first[1] <= 5)
    return "this is a file of the Python version" + fetch;
  if (file_.size() % other.record_bytes() == 0 && fits(file_, other, 0))
    return std::string("this looks like ") + other.title + ": set dataset.use = \"" + other.plugin + "\"";
  if (fits(file_, *format_, 1)) return "every record begins one byte late" + fetch;
  if (fits(file_, *format_, format_->record_bytes() - 1)) return "every record begins one byte early" + fetch;
  return "the file is damaged, was saved incompletely or has other data" + fetch;
}

}  // namespace halfling
