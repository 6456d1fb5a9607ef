// SPDX-License-Identifier: Apache-2.0
// halfling fetch, against a server that has every bad habit.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

const std::string content(5000, 'x');
// Of `content`.
constexpr const char* sha256 = "c59d3c0480cc2d71d8f646e735e92da65450311eec46e81a5db8c7e6e8a92054";

/// A server over a folder, for as long as it lives: it ends when its standard input does.
class Server {
 public:
  Server() {
    fs::create_directory(scratch_ / "files");
    write_file(files() / "data.bin", content);
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[0], STDIN_FILENO);
      ::execlp("python3", "python3", HALFLING_FETCH_SERVER, files().c_str(), port_file().c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[0]);
    input_ = ends[1];
    for (int tries = 0; !fs::exists(port_file()) && tries < 2000; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE(fs::exists(port_file()));
  }
  ~Server() {
    ::close(input_);
    ::waitpid(pid_, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  fs::path files() const { return scratch_ / "files"; }
  std::string url(const std::string& how, const std::string& name = "data.bin") const {
    return "http://127.0.0.1:" + read_file(port_file()) + "/" + how + "/" + name;
  }
  std::string requests() const { return read_file(files() / "requests"); }

 private:
  fs::path port_file() const { return scratch_ / "port"; }

  Scratch scratch_;
  pid_t pid_ = -1;
  int input_ = -1;
};

/// A card of one file.
struct Fetch {
  Scratch scratch;
  std::string more = "sha256 = \"" + std::string(sha256) + "\"\nbytes = 5000\n", name = "data.bin",
              stall = "60";

  Outcome from(const std::vector<std::string>& urls, Words words = {}) const {
    std::string list;
    for (const std::string& url : urls) list += (list.empty() ? "\"" : ", \"") + url + "\"";
    write_file(scratch / "card.toml",
               "name = \"mine\"\ntitle = \"My data\"\nuse = \"idx\"\nlicence = \"CC-BY-4.0\"\ncredit = \"by "
               "me\"\n[[file]]\nname = \"" +
                   name + "\"\n" + more + "url = [" + list + "]\n");
    words.insert(words.begin(),
                 {"fetch", (scratch / "card.toml").string(), "--to", folder().string(), "--stall", stall});
    return call(scratch, words);
  }
  fs::path folder() const { return scratch / "data"; }
  fs::path file() const { return folder() / name; }
  bool whole() const { return fs::exists(file()) && read_file(file()) == content; }
};

}  // namespace

TEST_CASE("a file comes whole, with its licence beside it, and only once") {
  const Server server;
  const Fetch fetch;
  const Outcome outcome = fetch.from({server.url("good")});
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(fetch.whole());
  CHECK(outcome.out == fetch.folder().string() + "\n");
  CHECK(contains(outcome.err, "Licence: CC-BY-4.0"));
  CHECK(contains(read_file(fetch.folder() / "LICENCE.txt"), "by me"));
  const std::string requests = server.requests();
  CHECK(contains(fetch.from({server.url("good")}).err, "is there already"));
  CHECK(server.requests() == requests);
  write_file(fetch.file(), "damaged since");
  CHECK(fetch.from({server.url("moved")}).status == 0);  // through a redirect
  CHECK(fetch.whole());
}

TEST_CASE("what a server does badly is told, and nothing has the file's name") {
  const Server server;
  const std::pair<const char*, const char*> habits[] = {{"page", "a web page in the place of the data"},
                                                        {"loop", "redirects"},
                                                        {"tofile", "rotocol"},
                                                        {"wrong", "its SHA-256 is not"},
                                                        {"longer", "more than the file has"},
                                                        {"stall", "Operation too slow"},
                                                        {"missing", "404"}};
  for (const auto& [how, told] : habits) {
    CAPTURE(how);
    Fetch fetch;
    if (how == std::string("stall")) fetch.stall = "1";
    const Outcome outcome = fetch.from({server.url(how)});
    CAPTURE(outcome.err);
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.err, told));
    CHECK(contains(outcome.err, "put it there"));
    CHECK(!fs::exists(fetch.file()));
  }
}

TEST_CASE("a file that was cut off goes on, also where the server begins anew") {
  const Server server;
  for (const char* how : {"good", "norange"}) {
    CAPTURE(how);
    const Fetch fetch;
    CHECK(fetch.from({server.url("cut")}).status == 1);
    CHECK(fs::file_size(fetch.file().string() + ".partial") == 2500);
    const Outcome outcome = fetch.from({server.url(how)});
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(fetch.whole());
    CHECK(contains(server.requests(), "/" + std::string(how) + "/data.bin bytes=2500-"));
  }
}

TEST_CASE(
    "a file that is complete but has no name yet gets it, and one that cannot be the file's begin goes") {
  const Server server;
  const Fetch fetch;
  fs::create_directory(fetch.folder());
  const std::string partial = fetch.file().string() + ".partial";
  write_file(partial, content);
  const Outcome named = fetch.from({"http://127.0.0.1:1/none"});
  CAPTURE(named.err);
  CHECK(named.status == 0);
  CHECK(fetch.whole());
  fs::remove(fetch.file());
  write_file(partial, std::string(5000, 'y'));
  CHECK(fetch.from({server.url("good")}).status == 0);
  CHECK(fetch.whole());
  Fetch unknown;
  unknown.more.clear();
  fs::create_directory(unknown.folder());
  write_file(unknown.file().string() + ".partial", content);  // 416: it ends there
  const Outcome anew = unknown.from({server.url("good")});
  CAPTURE(anew.err);
  CHECK(anew.status == 0);
  CHECK(unknown.whole());
}

TEST_CASE("of a file without size and digest, nothing is taken that may be a part") {
  const Server server;
  Fetch fetch;
  fetch.more.clear();
  CHECK(contains(fetch.from({server.url("nolength")}).err, "tells how long the file is"));
  CHECK(!fs::exists(fetch.file()));
  write_file(server.files() / "page", "\n<!DOCTYPE html><p>Sign in");
  Fetch local;
  local.more.clear();
  local.name = "page";
  CHECK(contains(local.from({}, {"--mirror", server.files().string()}).err,
                 "a web page in the place of the data"));
  const Fetch elsewhere;
  CHECK(elsewhere.from({server.url("cut")}).status == 1);
  CHECK(contains(elsewhere.from({server.url("elsewhere")}).err, "goes on at another place"));
}

TEST_CASE("an interrupt keeps what has come") {
  const Server server;
  const Fetch fetch;
  fetch.from({server.url("cut")});
  write_file(fetch.scratch / "slow.toml",
             "name = \"mine\"\nuse = \"idx\"\nlicence = \"MIT\"\n[[file]]\nname = \"data.bin\"\nbytes = "
             "5000\nurl = \"" +
                 server.url("stall") + "\"\n");
  Process process(fetch.scratch, halfling_words({"fetch", (fetch.scratch / "slow.toml").string(), "--to",
                                                 (fetch.scratch / "slow").string()}));
  const fs::path partial = fetch.scratch / "slow/data.bin.partial";
  for (int tries = 0; !fs::exists(partial) && tries < 1000; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  process.interrupt();
  const Outcome outcome = process.wait();
  CHECK(outcome.status == 130);
  CHECK(contains(outcome.err, "the same command goes on from there"));
}

TEST_CASE("mirrors are asked in turn, folders too") {
  const Server server;
  const Fetch fetch;
  const Outcome outcome = fetch.from({server.url("page"), server.url("cut"), server.url("good")});
  CHECK(outcome.status == 0);
  CHECK(fetch.whole());
  for (const std::string& mirror :
       {server.files().string(), "file://" + server.files().string(), server.url("good", "")}) {
    const Fetch local;
    CAPTURE(mirror);
    CHECK(local.from({"http://127.0.0.1:1/none"}, {"--mirror", mirror}).status == 0);
    CHECK(local.whole());
  }
  const Fetch offline;
  const Outcome refused = offline.from({server.url("good")}, {"--offline"});
  CHECK(refused.status == 1);
  CHECK(contains(refused.err, "--offline asks no other"));
  CHECK(contains(refused.err, offline.file().string()));
  CHECK(offline.from({server.url("good")}, {"--offline", "--mirror", server.files().string()}).status == 0);
}

TEST_CASE("archives are unpacked, but for what leads out of their place") {
  const Server server;
  const auto pack = [&](const std::string& python) {
    const std::string script = "import io, tarfile\nt = tarfile.open('" +
                               (server.files() / "a.tar.gz").string() +
                               "', 'w:gz')\ndef add(name, data=b'', kind=tarfile.REGTYPE, to=''):\n  i = "
                               "tarfile.TarInfo(name)\n  i.size = len(data)\n"
                               "  i.type = kind\n  i.linkname = to\n  t.addfile(i, io.BytesIO(data))\n" +
                               python + "\nt.close()\n";
    REQUIRE(Process(Scratch(), {"python3", "-c", script}).wait().status == 0);
    Fetch fetch;
    fetch.name = "a.tar.gz";
    fetch.more = "archive = true\n";
    const Outcome outcome = fetch.from({server.url("good", "a.tar.gz")});
    return std::pair(outcome, fs::exists(fetch.folder() / "in/x.bin"));
  };
  const auto [good, unpacked] = pack("add('in/x.bin', b'abc')");
  CAPTURE(good.err);
  CHECK(good.status == 0);
  CHECK(unpacked);
  CHECK(contains(good.err, "no checksum of it is known"));
  for (const char* bad :
       {"add('../x.bin', b'abc')", "add('/tmp/halfling-x.bin', b'abc')",
        "add('in/x', kind=tarfile.SYMTYPE, to='/etc/passwd')", "add('in/x', kind=tarfile.FIFOTYPE)",
        "add('y', b'abc'); add('in/x', kind=tarfile.LNKTYPE, to='y')"}) {
    CAPTURE(bad);
    const auto [outcome, there] = pack(std::string("add('in/x.bin', b'abc')\n") + bad);
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.err, "an archive has what no data set needs"));
    CHECK(!there);
  }
}

TEST_CASE("unpacking puts files beside others, and replaces none") {
  const Server server;
  const std::string pack = "import io, tarfile\nt = tarfile.open('" + (server.files() / "a.tar.gz").string() +
                           "', 'w:gz')\ni = tarfile.TarInfo('in/x.bin')\ni.size = 3\nt.addfile(i, "
                           "io.BytesIO(b'abc'))\nt.close()\n";
  REQUIRE(Process(Scratch(), {"python3", "-c", pack}).wait().status == 0);
  Fetch fetch;
  fetch.name = "a.tar.gz";
  fetch.more = "archive = true\n";
  fs::create_directories(fetch.folder() / "in");
  write_file(fetch.folder() / "in/mine.txt", "mine");
  CHECK(fetch.from({server.url("good", "a.tar.gz")}).status == 0);
  CHECK(read_file(fetch.folder() / "in/x.bin") == "abc");
  CHECK(read_file(fetch.folder() / "in/mine.txt") == "mine");
  CHECK(fetch.from({server.url("good", "a.tar.gz")}).status == 0);
  write_file(fetch.folder() / "in/x.bin", "another");
  const Outcome taken = fetch.from({server.url("good", "a.tar.gz")});
  CHECK(taken.status == 2);
  CHECK(contains(taken.err, "something else has the name of a file of the archive"));
  CHECK(read_file(fetch.folder() / "in/x.bin") == "another");
}

TEST_CASE("values of a card are checked") {
  const Scratch scratch;
  const auto told = [&](const std::string& top, const std::string& file) {
    write_file(scratch / "bad.toml", "use = \"idx\"\nlicence = \"MIT\"\n" + top + "[[file]]\n" + file);
    return call(scratch,
                {"fetch", (scratch / "bad.toml").string(), "--offline", "--to", (scratch / "x").string()});
  };
  const std::string name = "name = \"x\"\n";
  for (const auto& [top, file] : {std::pair<std::string, std::string>{"name = \"../../x\"\n", name},
                                  {name, "name = \"a/b\"\n"},
                                  {name, name + "bytes = \"4000\"\n"},
                                  {name, name + "bytes = -1\n"},
                                  {name, name + "archive = 1\n"},
                                  {name, name + "sha256 = \"12\"\n"},
                                  {name, name + "md5 = 5\n"}}) {
    CAPTURE(top + file);
    const Outcome outcome = told(top, file);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, "bad.toml:"));
  }
  CHECK(call(scratch, {"fetch", "cifar10", "--stall", "nan", "--offline"}).status == 2);
}

TEST_CASE("cards are listed; unknown ones, keys and classes are told") {
  const Scratch scratch;
  const Outcome list = call(scratch, {"fetch"});
  CHECK(list.status == 0);
  for (const char* name : {"cifar10", "cifar100", "emnist", "fashion-mnist", "mnist", "quickdraw"})
    CHECK(contains(list.out, name));
  const Outcome unknown = call(scratch, {"fetch", "cifar1"});
  CHECK(unknown.status == 2);
  CHECK(contains(unknown.err, "did you mean \"cifar10\"?"));
  write_file(scratch / "bad.toml", "name = \"x\"\nuse = \"idx\"\nlicense = \"MIT\"\n");
  const Outcome key = call(scratch, {"fetch", (scratch / "bad.toml").string()});
  CHECK(key.status == 2);
  CHECK(contains(key.err, "bad.toml:3:1"));
  const Outcome none = call(scratch, {"fetch", "cifar10", "--class", "cat", "--offline"});
  CHECK(none.status == 2);
  CHECK(contains(none.err, "no file for each class"));
  const Outcome drawing = call(scratch, {"fetch", "quickdraw", "--class", "alarm clock", "--offline", "--to",
                                         scratch.path().string()});
  CHECK(drawing.status == 1);
  CHECK(contains(drawing.err, "numpy_bitmap/alarm%20clock.npy"));
}

TEST_CASE("an experiment that leaves dataset.root out finds what was fetched, or names the command") {
  const Scratch cache;
  const auto plan = [&] {
    const Bench bench;
    std::string experiment = small_experiment();
    const std::string synthetic = "use = \"synthetic\"\nsamples = 60\nsize = 8\nclasses = 3\n";
    experiment.replace(experiment.find(synthetic), synthetic.size(),
                       "use = \"quickdraw\"\nclasses = [\"fish\"]\n");
    write_file(bench.file(), experiment);
    Words words = halfling_words({"plan", bench.file(), "--set", "input.batch_size=2"});
    words.insert(words.begin(), {"env", "XDG_CACHE_HOME=" + cache.path().string()});
    return Process(bench.scratch(), words).wait();
  };
  const Outcome missing = plan();
  CHECK(missing.status == 2);
  CHECK(contains(missing.err, "halfling fetch quickdraw --class 'fish'"));
  fs::create_directories(cache / "halfling/datasets/quickdraw");
  fs::copy_file(HALFLING_TEST_DATA "/quickdraw/fish.npy", cache / "halfling/datasets/quickdraw/fish.npy");
  const Outcome found = plan();
  CAPTURE(found.err);
  CHECK(found.status == 0);
}
