// SPDX-License-Identifier: Apache-2.0
// Files that somebody made to be hard on the program, or that a failing machine left: each is refused with
// its reason, or read as far as it is whole, and nothing is lost by it.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

const Words quiet{"--quiet"}, resumed{"--quiet", "--resume"};

/// A run of twelve iterations with checkpoints of 6 and 12.
struct Ran {
  Bench bench;
  fs::path folder;
  Ran() {
    REQUIRE(bench.run(settings({})).status == 0);
    folder = bench.folders().front();
  }
  static Words settings(Words more) {
    more.insert(more.end(), {"--quiet", "--set", "checkpoint.every=6it", "--set", "checkpoint.keep=5"});
    return more;
  }
  /// As killed after the checkpoint of iteration 6.
  void cut_short() const {
    fs::remove(folder / "summary.json");
    fs::remove(folder / "checkpoints/12.safetensors");
  }
  Outcome resume() const { return bench.run(settings({"--resume"})); }
  Outcome call(Words words) const {
    words.push_back(folder.string());
    return test::call(bench.scratch(), words);
  }
};

Outcome plan_of(const Bench& bench, const std::string& text) {
  const std::string file = (bench.scratch() / "other.toml").string();
  write_file(file, text);
  return call(bench.scratch(), {"plan", file});
}

/// The checkpoint with other metadata, and without its checksum, as older versions wrote it.
void forge(const fs::path& file, const std::string& key, const std::string& value) {
  const std::string bytes = read_file(file);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  json header = json::parse(bytes.substr(8, length));
  header["__metadata__"].erase("crc32c");
  header["__metadata__"][key] = value;
  const std::string text = header.dump(), data = bytes.substr(8 + length);
  length = text.size();
  std::string size(8, '\0');
  std::memcpy(size.data(), &length, sizeof length);
  write_file(file, size + text + data);
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("pipes, devices and folders are no experiments, parts or price lists, and are not waited for") {
  const Bench bench;
  const fs::path pipe = bench.scratch() / "pipe.toml";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& file : {pipe.string(), std::string("/dev/zero"), bench.scratch().path().string()}) {
    CAPTURE(file);
    const Outcome alone = call(bench.scratch(), {"plan", file});
    CHECK(alone.status == 2);
    CHECK(contains(alone.err, "cannot read"));
    const Outcome part = plan_of(bench, "extends = [\"" + file + "\"]\n");
    CHECK(part.status == 2);
    CHECK(contains(part.err, "cannot read"));
    const Outcome prices =
        plan_of(bench, small_experiment() + "[cost]\nprice = \"x\"\nprices = \"" + file + "\"\n");
    CHECK(prices.status == 2);
    CHECK(contains(prices.err, "a price list cannot be read"));
  }
}

TEST_CASE("keys nested deep are refused, whatever quotes come before") {
  const Bench bench;
  const std::string deep = "{" + repeated("a.", 20000) + "a=1}";
  for (const char* quotes : {R"("""x"""")", R"("""x""""")", "'''x''''", "'''x'''''", R"("\"")", R"('\')"}) {
    const Outcome outcome = plan_of(bench, "a = [ " + std::string(quotes) + ", " + deep + " ]");
    CAPTURE(quotes);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, "nested more than 256 deep"));
  }
}

TEST_CASE("very many keys, errors and trials are refused at once") {
  const Bench bench;
  std::string tables, keys = small_experiment(),
                      sweep = "extends = [\"small.toml\"]\n[sweep]\nrepeat = { seeds = [";
  for (int i = 0; i < 40000; ++i) tables += "[t" + std::to_string(i) + "]\n";
  CHECK(contains(plan_of(bench, tables).err, "more than 10000 keys"));
  keys += "[vars]\n";
  for (int i = 0; i < 5000; ++i) keys = "k" + std::to_string(i) + " = 1\n" + keys;
  CHECK(contains(plan_of(bench, keys).err, "... and at least 980 more errors"));
  for (int i = 0; i < 5000; ++i) sweep += std::to_string(i) + ",";
  sweep += "] }\n";
  for (int i = 1; i <= 3; ++i)
    sweep += "[[sweep.include]]\n\"optimizer.learning_rate\" = " + std::to_string(i) + "e-4\n";
  const Outcome outcome = plan_of(bench, sweep);
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "the sweep has more than 10000 trials"));
}

TEST_CASE("what a checkpoint says of itself is checked") {
  const Ran run;
  run.cut_short();
  const fs::path file = run.folder / "checkpoints/6.safetensors";
  const std::string good = read_file(file);
  const Words bad{"iteration=-5",
                  "iteration=20.5",
                  "iteration=9223372036854775807",
                  "iteration=1e30",
                  "iteration=x",
                  "epoch=-1",
                  "batch_size=0",
                  "image=[1,4294967296,4294967296]",
                  "image=[1,8]",
                  "image=[1,0,8]",
                  "classes=[]",
                  "classes=[1]",
                  "format=other",
                  "low=[2]",
                  "low=[0,0]"};
  for (const std::string& entry : bad) {
    CAPTURE(entry);
    const std::string key = entry.substr(0, entry.find('='));
    write_file(file, good);
    forge(file, key, entry.substr(key.size() + 1));
    for (const Outcome& outcome :
         {run.resume(), run.call({"sample", "--out", (run.bench.scratch() / "x.png").string()})}) {
      CHECK(outcome.status == 1);
      CHECK(contains(outcome.err, "this is no checkpoint of halfling"));
      CHECK(contains(outcome.err, key));
      CHECK(contains(outcome.err, "begin again from iteration 0"));
    }
  }
  write_file(file, good);
  forge(file, "batch_size", "8");
  CHECK(run.resume().status == 0);
}

TEST_CASE("a header of very many tensors, or nested deep, is read or refused at once") {
  const Ran run;
  const auto with_header = [&](const std::string& header) {
    std::string size(8, '\0');
    const std::uint64_t length = header.size();
    std::memcpy(size.data(), &length, sizeof length);
    write_file(run.folder / "checkpoints/99.safetensors", size + header);
    return run.call({"sample", "--out", (run.bench.scratch() / "x.png").string()}).err;
  };
  std::string many = "{";
  for (int i = 0; i < 50000; ++i)
    many += (i ? ",\"" : "\"") + std::to_string(i) + R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  CHECK(contains(with_header(many + "}"), "got: no \"format\""));
  CHECK(contains(with_header("{\"a\":" + repeated("[", 100000) + repeated("]", 100000) + "}"),
                 "brackets in brackets"));
  CHECK(contains(with_header("{\"a\":1,\"a\":1}"), "two entries named \"a\""));
}

TEST_CASE("damaged lines of metrics and a damaged summary never hinder a resume") {
  const Ran run;
  const fs::path metrics = run.folder / "metrics.jsonl";
  const std::string before = read_file(metrics);
  for (const std::string& line :
       {std::string("{\"iteration\":null}"), std::string("{\"iteration\":1e3}"), repeated("[", 100000),
        std::string("\xff{"), std::string("{\"iteration\":")}) {
    run.cut_short();
    write_file(metrics, before + line + "\n");
    const Outcome outcome = run.resume();
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(read_lines(metrics).size() == 12);
  }
}

namespace {

/// Root reads everything, unless it gives up the capabilities for that.
Words without_privilege(Words words) {
  if (::geteuid() != 0) return words;
  const Words drop{"setpriv", "--bounding-set=-dac_override,-dac_read_search"};
  words.insert(words.begin(), drop.begin(), drop.end());
  return words;
}

bool can_drop_privilege() {
  const Scratch scratch;
  return Process(scratch, without_privilege({"true"})).wait().status == 0;
}

}  // namespace

TEST_CASE("a run folder that cannot be read is not taken for an empty one" *
          doctest::skip(!can_drop_privilege())) {
  const Ran run;
  run.cut_short();
  const std::string metrics = read_file(run.folder / "metrics.jsonl");
  for (const char* name : {"checkpoints", "metrics.jsonl"}) {
    CAPTURE(name);
    fs::permissions(run.folder / name, fs::perms::owner_write | fs::perms::owner_exec);
    const Words words = halfling_words(run.bench.run_words(Ran::settings({"--resume"})));
    const Outcome outcome = Process(run.bench.scratch(), without_privilege(words)).wait();
    fs::permissions(run.folder / name, fs::perms::owner_all);
    CHECK(outcome.status != 0);
    CHECK(contains(outcome.err, name));
    CHECK(contains(outcome.err, "Permission denied"));
    CHECK(read_file(run.folder / "metrics.jsonl") == metrics);
  }
}

TEST_CASE("what stands in the place of checkpoints or metrics is not taken for nothing") {
  const Ran run;
  run.cut_short();
  fs::rename(run.folder / "checkpoints", run.folder / "kept");
  write_file(run.folder / "checkpoints", "a file");
  CHECK(contains(run.resume().err, "checkpoints"));
  fs::remove(run.folder / "checkpoints");
  fs::rename(run.folder / "kept", run.folder / "checkpoints");
  fs::rename(run.folder / "metrics.jsonl", run.folder / "kept");
  fs::create_directory(run.folder / "metrics.jsonl");
  const Outcome outcome = run.resume();
  CHECK(outcome.status != 0);
  CHECK(contains(outcome.err, "metrics.jsonl"));
  fs::remove(run.folder / "metrics.jsonl");
  fs::rename(run.folder / "kept", run.folder / "metrics.jsonl");
  CHECK(run.resume().status == 0);
  CHECK(read_lines(run.folder / "metrics.jsonl").size() == 12);
}

TEST_CASE("links in a run folder are not written through, and pipes not waited for") {
  const Ran run;
  const fs::path precious = run.bench.scratch() / "precious";
  const auto link = [&](const fs::path& at) {
    write_file(precious, "precious");
    fs::remove_all(at);
    fs::create_symlink(precious, at);
  };
  link(run.folder / "report.html");
  REQUIRE(::mkfifo((run.folder / "samples/00000099.png").c_str(), 0600) == 0);
  REQUIRE(::mkfifo((run.folder / "monitor.jsonl").c_str(), 0600) == 0);
  CHECK(run.call({"report"}).status == 0);
  CHECK(read_file(precious) == "precious");
  CHECK(!fs::is_symlink(run.folder / "report.html"));
  const fs::path figures = run.folder / "report.figures";
  for (const auto& entry : fs::directory_iterator(figures)) link(entry.path());
  CHECK(run.call({"report"}).status == 0);
  CHECK(read_file(precious) == "precious");
  fs::remove_all(figures);
  fs::create_directory_symlink(run.bench.scratch().path(), figures);
  const Outcome linked = run.call({"report"});
  CHECK(linked.status == 2);
  CHECK(contains(linked.err, "report.figures"));
  run.cut_short();
  for (const char* name : {"metrics.jsonl", "summary.json", "provenance.json", "environment.json"}) {
    CAPTURE(name);
    link(run.folder / name);
    run.resume();
    CHECK(read_file(precious) == "precious");
    fs::remove(run.folder / name);
    run.cut_short();
  }
}

TEST_CASE("two processes never train one trial, also where somebody removes the lock's file") {
  const Bench bench;
  Process first(bench.scratch(),
                halfling_words(bench.run_words({"--quiet", "--set", "budget.iterations=1000000"})));
  wait_for_lines(bench, 2);
  const fs::path run = bench.folders().front();
  fs::remove(run / ".lock");
  const Scratch other;
  const Outcome second =
      call(other, bench.run_words({"--quiet", "--resume", "--set", "budget.iterations=1000000"}));
  CHECK(second.status == 2);
  CHECK(contains(second.err, "another process is running this trial"));
  first.interrupt();
  CHECK(first.wait().status == 130);
}

TEST_CASE("names that are not UTF-8 work, and are shown escaped") {
  const Bench bench;
  const fs::path odd = bench.scratch() / "\xff";
  fs::create_directory(odd);
  write_file(odd / "small.toml", small_experiment());
  const Outcome outcome =
      call(bench.scratch(), {"run", (odd / "small.toml").string(), "--out", odd.string()});
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(!contains(outcome.err, "\xff"));
  const Outcome json_form = call(bench.scratch(), {"run", (odd / "none.toml").string(), "--format", "json"});
  CHECK(json_form.status == 2);
  CHECK(json::accept(json_form.out + json_form.err));
}

TEST_CASE("a file cut off by a limit of its size, and a reader that goes, are told and kill nothing") {
  const Ran run;
  const auto shell = [&](const std::string& line) {
    return Process(run.bench.scratch(), {"bash", "-c", line}).wait();
  };
  const std::string program = HALFLING_PROGRAM;
  const Outcome limited = shell("ulimit -f 1; exec " + program + " report " + run.folder.string() +
                                " --out " + (run.bench.scratch() / "p.html").string());
  CHECK(limited.status == 1);
  CHECK(contains(limited.err, "File too large"));
  const Outcome gone = shell(program + " plugins describe acgan --format json | true; echo ${PIPESTATUS[0]}");
  CHECK(!contains(gone.out, "141"));
}
