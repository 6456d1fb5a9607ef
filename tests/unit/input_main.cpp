// SPDX-License-Identifier: Apache-2.0
// doctest's main, which waits for TBB's threads to end: they must not outlive the libraries they run in.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <oneapi/tbb/global_control.h>

int main(int argc, char** argv) {
  tbb::task_scheduler_handle threads{tbb::attach{}};
  const int status = doctest::Context(argc, argv).run();
  return tbb::finalize(threads, std::nothrow) ? status : 1;
}
