// SPDX-License-Identifier: Apache-2.0
// The real program, run by a test as a user runs it, and the small experiment that it is given.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "../unit/scratch.hpp"

namespace halfling::test {

using Words = std::vector<std::string>;

struct Outcome {
  int status = -1;  ///< exit status; 128 + signal where a signal ended it
  std::string out, err;
};

/// A process whose stdout and stderr go to files of the scratch folder.
class Process {
 public:
  Process(const Scratch& scratch, Words words) : out_(scratch / "stdout"), err_(scratch / "stderr") {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out_.c_str(), flags, 0666);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err_.c_str(), flags, 0666);
    posix_spawnattr_t attributes;  // signals as a terminal gives them, also where the tests run under nohup
    sigset_t defaults;
    sigemptyset(&defaults);
    for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGUSR1}) sigaddset(&defaults, signal);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    const int failed = ::posix_spawnp(&pid_, arguments[0], &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) throw std::runtime_error("cannot start " + words[0]);
  }

  void interrupt(int signal = SIGINT) const { ::kill(pid_, signal); }

  pid_t pid() const { return pid_; }

  Outcome wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out_),
            read_file(err_)};
  }

 private:
  std::filesystem::path out_, err_;
  pid_t pid_ = -1;
};

inline Words halfling_words(Words words) {
  words.insert(words.begin(), HALFLING_PROGRAM);
  return words;
}

inline Outcome call(const Scratch& scratch, Words words) {
  return Process(scratch, halfling_words(std::move(words))).wait();
}

/// Twelve iterations of a tiny AC-GAN on 8x8 figures, on the reference backend.
inline std::string small_experiment() {
  return R"([experiment]
name = "small"
seed = 5

[backend]
use = "reference"

[precision]
use = "fp32"

[loss_scaler]
use = "dynamic"

[dataset]
use = "synthetic"
samples = 60
size = 8
classes = 3

[input]
batch_size = 8

[architecture]
use = "acgan"
z_dim = 4
fc_width = 16
first_channels = 4
second_channels = 8
classifier_width = 8

[optimizer]
use = "adam"

[budget]
iterations = 12

[sample]
rows = 2
every = "5it"

[metrics]
every = "1it"
)";
}

/// The backends of this build that run anywhere.
inline Words backends() {
#ifdef HALFLING_HAVE_CPU
  return {"reference", "cpu"};
#else
  return {"reference"};
#endif
}

/// A scratch folder with the small experiment in it, and runs of it.
class Bench {
 public:
  Bench() { write_file(file(), small_experiment()); }

  const Scratch& scratch() const { return scratch_; }
  std::string file() const { return (scratch_ / "small.toml").string(); }
  std::string out() const { return (scratch_ / "runs").string(); }

  Words run_words(const Words& more) const {
    Words words{"run", file(), "--out", out()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Outcome run(const Words& more = {}) const { return call(scratch_, run_words(more)); }
  Outcome run_with(const std::string& setting) const { return run({"--set", setting}); }

  /// The folders of all runs, sorted.
  std::vector<std::filesystem::path> folders() const {
    std::vector<std::filesystem::path> found;
    if (!std::filesystem::exists(std::filesystem::path(out()) / "small")) return found;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(out()) / "small"))
      found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  Scratch scratch_;
};

inline nlohmann::json read_json(const std::filesystem::path& file) {
  return nlohmann::json::parse(read_file(file));
}

inline std::vector<nlohmann::json> read_lines(const std::filesystem::path& file) {
  std::vector<nlohmann::json> lines;
  std::istringstream stream(read_file(file));
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// The bytes of a run's checkpoint.
inline std::string last_checkpoint(const std::filesystem::path& run, int iteration) {
  return read_file(run / "checkpoints" / (std::to_string(iteration) + ".safetensors"));
}

/// Waits until a run has written this many lines of metrics, or has ended by itself.
inline void wait_for_lines(const Bench& bench, std::size_t lines) {
  for (int tries = 0; tries < 2000; ++tries) {
    for (const std::filesystem::path& run : bench.folders()) {
      const std::string text = read_file(run / "metrics.jsonl");
      if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= lines) return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace halfling::test
