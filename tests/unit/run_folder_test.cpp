// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <unistd.h>

#include "run/folder_lock.hpp"
#include "scratch.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

TEST_CASE("a folder is locked once, and what a killed process left is removed with the lock in hand") {
  const Scratch scratch;
  fs::create_directories(scratch / "checkpoints");
  const auto stale = [&] {
    write_file(scratch / "checkpoints" / "1.safetensors.9-0.partial", "torn");
    write_file(scratch / "summary.json.9-1.partial", "torn");
  };
  stale();
  write_file(scratch / "kept", "whole");
  {
    const FolderLock lock(scratch.path());
    CHECK(fs::is_empty(scratch / "checkpoints"));
    CHECK(!fs::exists(scratch / "summary.json.9-1.partial"));
    CHECK(fs::exists(scratch / "kept"));
    stale();
    const ErrorDetails error = error_of([&] { FolderLock{scratch.path()}; });
    CHECK(error.what == "another process is running this trial");
    CHECK(error.got == "process " + std::to_string(::getpid()));
    CHECK(error.kind == ErrorKind::usage);
    CHECK(fs::exists(scratch / "summary.json.9-1.partial"));
  }
  const FolderLock again(scratch.path());
  CHECK(!fs::exists(scratch / "summary.json.9-1.partial"));
}

TEST_CASE("a lock is renewed where its folder was removed, unless another one holds what is there now") {
  const Scratch scratch;
  const fs::path run = scratch / "run";
  fs::create_directories(run);
  FolderLock lock(run);
  lock.renew();
  CHECK(is_locked(run));
  fs::remove_all(run);
  lock.renew();
  CHECK(fs::exists(run / ".lock"));
  CHECK(is_locked(run));
  fs::remove_all(run);
  fs::create_directories(run);
  {
    const FolderLock other(run);
    CHECK(error_of([&] { lock.renew(); }).what == "another process is running this trial");
  }
  lock.renew();
  CHECK(is_locked(run));
}
