// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>

#include "dataset_test.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

const std::vector<std::string> ten = {"airplane", "automobile", "bird",  "cat",  "deer",
                                      "dog",      "frog",       "horse", "ship", "truck"};

/// An image whose planes have these values everywhere, but for the first pixel of the red one.
std::string image(int first, int red = 200, int green = 201, int blue = 202) {
  return char(first) + std::string(1023, char(red)) + std::string(1024, char(green)) +
         std::string(1024, char(blue));
}

/// A record of each label, in this order; image i begins with the byte 100 + i.
std::string batch(const std::vector<int>& labels) {
  std::string bytes;
  for (std::size_t i = 0; i < labels.size(); ++i) bytes += char(labels[i]) + image(100 + static_cast<int>(i));
  return bytes;
}

std::string lines(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + "\n";
  return text;
}

/// A folder with these class names and batches.
struct Folder {
  Folder() { write("batches.meta.txt", lines(ten) + "\n"); }

  void write(const std::string& name, const std::string& bytes) const { write_file(scratch / name, bytes); }
  std::unique_ptr<Dataset> open(const std::vector<std::string>& classes = {},
                                const std::string& part = "train", std::int64_t limit = 0) const {
    Options options;
    options.set("root", scratch.path().string());
    options.set("part", part);
    options.set("classes", classes);
    options.set("limit", limit);
    return make_dataset("cifar10", options);
  }
  ErrorDetails refusal(const std::vector<std::string>& classes = {},
                       const std::string& part = "train") const {
    ErrorDetails error = error_of([&] { open(classes, part); });
    CHECK(error.kind == ErrorKind::usage);
    return error;
  }
  /// For a training file of these bytes; `where` must be this byte of it.
  ErrorDetails refusal_of(const std::string& bytes, const std::string& place) const {
    write("data_batch_1.bin", bytes);
    ErrorDetails error = refusal();
    CAPTURE(error.where);
    CHECK(error.where.find((scratch / "data_batch_1.bin").string() + place) != std::string::npos);
    return error;
  }

  Scratch scratch;
};

std::vector<int> labels_of(const Dataset& dataset) {
  std::vector<int> labels;
  for (std::int64_t i = 0; i < dataset.size(); ++i) labels.push_back(sample(dataset, i).label);
  return labels;
}

const std::vector<int> each = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

}  // namespace

TEST_CASE("cifar10 reads labels and planes of the batches that are there, in their order") {
  const Folder folder;
  folder.write("data_batch_1.bin", batch(each));
  folder.write("data_batch_4.bin", batch({3, 1}));
  folder.write("test_batch.bin", batch({7}));
  const auto train = folder.open();
  CHECK(train->size() == 12);
  CHECK(train->sample_shape() == Shape{3, 32, 32});
  CHECK(train->classes() == ten);
  const Sample second = sample(*train, 11);
  CHECK(second.label == 1);
  CHECK(second.pixels[0] == 101);
  CHECK(second.pixels[1] == 200);
  CHECK(second.pixels[1023] == 200);
  CHECK(second.pixels[1024] == 201);
  CHECK(second.pixels[2048] == 202);
  CHECK(second.pixels[3071] == 202);
  CHECK(labels_of(*folder.open({}, "all")) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 3, 1, 7});
  CHECK(labels_of(*folder.open({"horse"}, "test")) == std::vector<int>{0});
}

TEST_CASE("cifar10 finds the folder that the archive holds") {
  const Folder folder;
  const std::filesystem::path inner = folder.scratch / "cifar-10-batches-bin";
  std::filesystem::create_directory(inner);
  std::filesystem::rename(folder.scratch / "batches.meta.txt", inner / "batches.meta.txt");
  write_file(inner / "data_batch_2.bin", batch(each));
  CHECK(folder.open()->size() == 10);
}

TEST_CASE("cifar10 takes some of the classes, in the order of the list, and so many of each") {
  const Folder folder;
  folder.write("data_batch_1.bin", batch({9, 3, 6, 3, 9, 3}));
  const auto dataset = folder.open({"truck", "cat"});
  CHECK(dataset->classes() == std::vector<std::string>{"truck", "cat"});
  CHECK(labels_of(*dataset) == std::vector<int>{0, 1, 1, 0, 1});
  CHECK(sample(*dataset, 2).pixels[0] == 103);
  const auto limited = folder.open({"truck", "cat"}, "train", 2);
  CHECK(labels_of(*limited) == std::vector<int>{0, 1, 1, 0});
}

TEST_CASE("cifar10 refuses classes that it does not have, all at once") {
  const Folder folder;
  folder.write("data_batch_1.bin", batch(each));
  const ErrorDetails error = folder.refusal({"trukc", "cat", "submarine", "cat"});
  CHECK(error.what.ends_with("the data set has no class of this name"));
  CHECK(error.where.starts_with("dataset.classes"));
  CHECK(error.got == "trukc");
  CHECK(error.hint == "did you mean \"truck\"?");
  REQUIRE(error.others.size() == 2);
  CHECK(error.others[0].got == "submarine");
  CHECK(error.others[0].expected.starts_with("one of airplane, automobile, "));
  CHECK(error.others[1].what == "a class is chosen twice");
  CHECK(error.others[1].got == "cat");
}

TEST_CASE("cifar10 refuses classes without images") {
  const Folder folder;
  folder.write("data_batch_1.bin", batch({0, 1, 2, 3, 4, 5, 7, 8}));
  ErrorDetails error = folder.refusal();
  CHECK(error.what.ends_with("a class has no sample"));
  CHECK(error.where.starts_with("dataset.root"));
  CHECK(error.got == "no image of \"frog\", \"truck\" in " + (folder.scratch / "data_batch_1.bin").string());
  error = folder.refusal({"cat", "frog"});
  CHECK(error.where.starts_with("dataset.classes"));
  CHECK(error.got.starts_with("no image of \"frog\" in "));
  CHECK(folder.open({"cat"})->size() == 1);
}

TEST_CASE("cifar10 says what is missing, and where it comes from") {
  const Folder folder;
  const std::string url = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz";
  ErrorDetails error = folder.refusal();
  CHECK(error.where.find(folder.scratch.path().string()) != std::string::npos);
  CHECK(error.got == "a folder without them");
  CHECK(error.expected ==
        "at least one of data_batch_1.bin, data_batch_2.bin, data_batch_3.bin, data_batch_4.bin, "
        "data_batch_5.bin, here or in cifar-10-batches-bin");
  CHECK(error.hint.find("halfling fetch cifar10") != std::string::npos);
  CHECK(folder.refusal({}, "test").expected == "test_batch.bin, here or in cifar-10-batches-bin");
  folder.write("data_batch_1", "pickled");
  CHECK(folder.refusal().hint == "data_batch_1 is of the Python version; fetch " + url);
  std::filesystem::remove(folder.scratch / "data_batch_1");
  folder.write("cifar-10-binary.tar.gz", "packed");
  CHECK(folder.refusal().hint == "unpack it there: tar xzf cifar-10-binary.tar.gz");
  Options options;
  options.set("root", (folder.scratch / "none").string());
  options.set("part", "train");
  CHECK(error_of([&] { make_dataset("cifar10", options); }).got == "no such folder");
}

TEST_CASE("cifar10 refuses files that are no whole records") {
  const Folder folder;
  const std::string good = batch(each);
  CHECK(folder.refusal_of("", "").what.ends_with("a data file is empty"));
  const ErrorDetails cut = folder.refusal_of(good.substr(0, good.size() - 1000), ", byte 27657");
  CHECK(cut.what.ends_with("a data file does not consist of whole records"));
  CHECK(cut.got == "29730 bytes: 9 records and 2073 bytes");
  CHECK(cut.expected == "records of 3073 bytes");
  CHECK(cut.hint.starts_with("the file is damaged, was saved incompletely or has other data; fetch https:"));
  CHECK(folder.refusal_of(good + "x", ", byte 30730").got == "30731 bytes: 10 records and 1 bytes");
  CHECK(folder.refusal_of("<!DOCTYPE html>", ", byte 0").hint.starts_with("this looks like a web page"));
  CHECK(folder.refusal_of("\x1f\x8bgzip", ", byte 0").hint.starts_with("this is compressed"));
  CHECK(folder.refusal_of("\x80\x04pickle", ", byte 0").hint.starts_with("this is a file of the Python"));
}

TEST_CASE("cifar10 tells other data by the labels, where the size is right") {
  const Folder folder;
  std::string good = batch(each);
  const ErrorDetails late = folder.refusal_of("\xc8" + good.substr(0, good.size() - 1), ", byte 0");
  CHECK(late.what.ends_with("a label is out of range"));
  CHECK(late.got == "label 200 of record 0");
  CHECK(late.expected == "a label from 0 to 9 every 3073 bytes");
  CHECK(late.hint.starts_with("every record begins one byte late; fetch "));
  const ErrorDetails early = folder.refusal_of(good.substr(1) + "x", ", byte 0");
  CHECK(early.got == "label 100 of record 0");
  CHECK(early.hint.starts_with("every record begins one byte early; fetch "));
  CHECK(folder.refusal_of(good.substr(1), ", byte 27657").hint == early.hint);
  CHECK(folder.refusal_of("\xc8" + good, ", byte 30730").hint == late.hint);
  good[3 * 3073] = 10;
  const ErrorDetails one = folder.refusal_of(good, ", byte 9219");
  CHECK(one.got == "label 10 of record 3");
  CHECK(one.hint.starts_with("the file is damaged"));
}

TEST_CASE("cifar10 refuses what cannot be read, and wrong names of classes") {
  const Folder folder;
  std::filesystem::create_directory(folder.scratch / "data_batch_1.bin");
  CHECK(folder.refusal().what.ends_with("a data file is no plain file"));
  std::filesystem::remove(folder.scratch / "data_batch_1.bin");
  std::filesystem::create_symlink(folder.scratch / "gone", folder.scratch / "data_batch_1.bin");
  const ErrorDetails link = folder.refusal();
  CHECK(link.what.ends_with("a data file cannot be opened"));
  CHECK(link.got == "No such file or directory");
  std::filesystem::remove(folder.scratch / "data_batch_1.bin");
  folder.write("data_batch_1.bin", batch(each));
  folder.write("batches.meta.txt", "airplane\r\ncat\r\n");
  CHECK(folder.refusal().got == "2 lines");
  folder.write("batches.meta.txt", "airplane\nairplane\nb\nc\nd\ne\nf\ng\nh\ni\n");
  CHECK(folder.refusal().got == "a name that is empty or stands twice");
  std::filesystem::remove(folder.scratch / "batches.meta.txt");
  const ErrorDetails none = folder.refusal();
  CHECK(none.where.find((folder.scratch / "batches.meta.txt").string()) != std::string::npos);
  CHECK(none.expected == "10 class names, one a line");
}

TEST_CASE("a batch that changes while it is open is an error like any other") {
  const Folder folder;
  folder.write("data_batch_1.bin", batch(each));
  const std::filesystem::path file = folder.scratch / "data_batch_1.bin";
  const auto dataset = folder.open({"airplane", "bird", "cat"});
  std::filesystem::resize_file(file, 3 * 3073 + 1000);
  CHECK(sample(*dataset, 1).label == 1);
  const ErrorDetails shorter = error_of([&] { sample(*dataset, 2); });
  CHECK(shorter.what == "a data file has become shorter since it was opened");
  CHECK(shorter.where.find(file.string() + ", byte 10219") != std::string::npos);
  CHECK(shorter.expected == "30730 bytes, as when it was opened");
  folder.write("data_batch_1.bin", batch({9, 0, 11}));
  CHECK(error_of([&] { sample(*dataset, 0); }).what == "a data file has changed since it was opened");
  CHECK(error_of([&] { sample(*dataset, 1); }).what.ends_with("a label is out of range"));
}

namespace {

/// CIFAR-100 with a training file of records of (coarse, fine) labels.
struct Hundred {
  Hundred() {
    std::vector<std::string> names(100), groups(20);
    for (std::size_t i = 0; i < 100; ++i) names[i] = "fine " + std::to_string(i);
    for (std::size_t i = 0; i < 20; ++i) groups[i] = "coarse " + std::to_string(i);
    write_file(scratch / "fine_label_names.txt", lines(names));
    write_file(scratch / "coarse_label_names.txt", lines(groups));
  }
  std::unique_ptr<Dataset> open(const std::string& labels, const std::vector<std::string>& classes) const {
    Options options;
    options.set("root", scratch.path().string());
    options.set("part", "train");
    options.set("labels", labels);
    options.set("classes", classes);
    options.set("limit", std::int64_t{0});
    return make_dataset("cifar100", options);
  }
  Scratch scratch;
};

std::string hundred_records(int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += std::string{char(i % 20), char(99 - i % 100)} + image(100);
  return bytes;
}

}  // namespace

TEST_CASE("cifar100 has fine and coarse labels") {
  const Hundred folder;
  write_file(folder.scratch / "train.bin", hundred_records(100));
  const auto fine = folder.open("fine", {});
  CHECK(fine->classes().size() == 100);
  CHECK(fine->classes()[99] == "fine 99");
  CHECK(sample(*fine, 1).label == 98);
  CHECK(sample(*fine, 1).pixels[0] == 100);
  CHECK(sample(*fine, 1).pixels[3071] == 202);
  const auto coarse = folder.open("coarse", {});
  CHECK(coarse->classes().size() == 20);
  CHECK(sample(*coarse, 21).label == 1);
  CHECK(labels_of(*folder.open("fine", {"fine 99", "fine 5"})) == std::vector<int>{0, 1});
}

TEST_CASE("CIFAR-10 and CIFAR-100 are told from one another, also in files of the same size") {
  const Folder folder;
  const ErrorDetails small = folder.refusal_of(hundred_records(3), ", byte 9219");
  CHECK(small.hint == "this looks like CIFAR-100: set dataset.use = \"cifar100\"");
  const ErrorDetails same = folder.refusal_of(hundred_records(3073), ", byte ");
  CHECK(same.what.ends_with("a label is out of range"));
  CHECK(same.hint == small.hint);
  const Hundred hundred;
  std::vector<int> labels(3074);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int>(i % 10);
  write_file(hundred.scratch / "train.bin", batch(labels));
  const ErrorDetails ten_for_hundred = error_of([&] { hundred.open("fine", {}); });
  CHECK(ten_for_hundred.what.ends_with("a label is out of range"));
  CHECK(ten_for_hundred.hint == "this looks like CIFAR-10: set dataset.use = \"cifar10\"");
}

namespace {
const std::filesystem::path shared = HALFLING_SHARED_DATA "/cifar10";
}

TEST_CASE("cifar10 reads official records" * doctest::skip(!std::filesystem::exists(shared))) {
  Options options;
  options.set("root", shared.string());
  options.set("part", "train");
  options.set("classes", std::vector<std::string>{});
  options.set("limit", std::int64_t{0});
  const auto dataset = make_dataset("cifar10", options);
  CHECK(dataset->size() == 4000);
  CHECK(dataset->classes() == ten);
  const Sample first = sample(*dataset, 0);
  CHECK(first.label == 6);
  for (const auto& [plane, values] :
       {std::pair{0, std::vector<int>{59, 43, 50, 68}}, {1, {62, 46, 48, 54}}, {2, {63, 45, 43, 42}}})
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(first.pixels[static_cast<std::size_t>(plane) * 1024 + i] == values[i]);
  const std::vector<int> labels = labels_of(*dataset);
  CHECK(std::set<int>(labels.begin(), labels.end()).size() == 10);
}
