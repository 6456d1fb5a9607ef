// SPDX-License-Identifier: Apache-2.0
// halfling fetch EXPERIMENT, and experiments that find what was fetched.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

/// halfling fetch of the bench's experiment.
Outcome fetch_for(const Bench& bench, const Words& more) {
  Words words{"fetch", bench.file(), "--plugin-path", HALFLING_TEST_PLUGINS};
  words.insert(words.end(), more.begin(), more.end());
  return call(bench.scratch(), words);
}

}  // namespace

TEST_CASE("an experiment's file fetches the classes that it names, in its form, for all of its trials") {
  const Bench bench;
  const fs::path mirror = bench.scratch() / "mirror", root = bench.scratch() / "root";
  fs::create_directory(mirror);
  write_file(mirror / "cat.ndjson", "a cat");
  write_file(mirror / "alarm clock.ndjson", "a clock");
  const auto fetch = [&](const Words& more) {
    Words words{"--mirror", mirror.string(), "--offline"};
    for (const std::string& setting : Words{"dataset.use=quickdraw", "dataset.form=strokes",
                                            "dataset.classes=[\"cat\"]", "dataset.root=" + root.string()})
      words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), more.begin(), more.end());
    return fetch_for(bench, words);
  };
  const Outcome one = fetch({});
  CAPTURE(one.err);
  CHECK(one.status == 0);
  CHECK(one.out == root.string() + "\n");
  CHECK(read_file(root / "cat.ndjson") == "a cat");
  CHECK(!fs::exists(root / "alarm clock.ndjson"));

  const fs::path other = bench.scratch() / "other";
  const Outcome all = fetch({"--to", other.string(), "--set", R"(sweep.matrix."dataset.limit"=[1, 2])",
                             "--set", R"(dataset.classes=["cat", "alarm clock"])"});
  CAPTURE(all.err);
  CHECK(all.status == 0);
  CHECK(all.out == other.string() + "\n");  // both trials need the same
  CHECK(fs::exists(other / "alarm clock.ndjson"));
  const Outcome bitmaps = fetch({"--set", "dataset.form=bitmaps"});
  CHECK(bitmaps.status == 1);
  CHECK(contains(bitmaps.err, "cat.npy"));
}

TEST_CASE("fetch says where an experiment's data set is known from no card, or from several") {
  const Bench bench;
  const Outcome synthetic = fetch_for(bench, {});
  CHECK(synthetic.status == 2);
  CHECK(contains(synthetic.err, "no files of this data set can be fetched"));
  const Outcome idx = fetch_for(
      bench, {"--set", "dataset.use=idx", "--set", "dataset.images=i", "--set", "dataset.labels=l"});
  CAPTURE(idx.err);
  CHECK(contains(idx.err, "by name: emnist, fashion-mnist, mnist"));
  CHECK(contains(fetch_for(bench, {"--class", "cat"}).err, "names its classes itself"));
  CHECK(contains(call(bench.scratch(), {"fetch", "mnist", "--set", "a.b=1"}).err,
                 "a card has no values to replace"));
}

TEST_CASE("an experiment that leaves dataset.root out finds strokes in the cache, or is told of fetch") {
  const Bench bench;
  const fs::path cache = bench.scratch() / "cache";
  const auto plan = [&](const std::string& form) {
    Words words = halfling_words({"plan", bench.file()});
    words.insert(words.begin(), {"env", "XDG_CACHE_HOME=" + cache.string()});
    for (const std::string& setting : Words{"dataset.use=quickdraw", "dataset.classes=[\"cat\"]",
                                            "dataset.form=" + form, "input.batch_size=2"})
      words.insert(words.end(), {"--set", setting});
    return Process(bench.scratch(), words).wait();
  };
  for (const std::string form : {"bitmaps", "strokes"})
    CHECK(contains(plan(form).err, "run `halfling fetch` with the experiment's file"));
  fs::create_directories(cache / "halfling/datasets/quickdraw");
  const std::string line = "{\"word\":\"cat\",\"drawing\":[[[0,255],[0,255]]]}\n";
  write_file(cache / "halfling/datasets/quickdraw/cat.ndjson", line + line);
  const Outcome found = plan("strokes");
  CAPTURE(found.err);
  CHECK(found.status == 0);
}
