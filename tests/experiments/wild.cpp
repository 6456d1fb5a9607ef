// SPDX-License-Identifier: Apache-2.0
// A data set for the tests of the plugin boundary: it does what its option says when sample 13 is read.
#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>

#include "halfling/dataset.hpp"

namespace {

volatile int zero = 0, seven = 7;
int* volatile nowhere = nullptr;

/// Uses up the stack of its thread.
int fall(int depth) {
  volatile char room[4096] = {};
  room[depth % 4096] = 1;
  return depth < 0 ? 0 : fall(depth + 1) + room[0];
}

class Wild final : public halfling::Dataset {
 public:
  explicit Wild(const halfling::Options& options) : fault_(options.string("fault")) {
    if (fault_ == "factory") *nowhere = 1;
  }
  std::int64_t size() const override {
    if (fault_ == "size") throw 42;
    return 60;
  }
  halfling::Shape sample_shape() const override { return {1, 8, 8}; }
  const std::vector<std::string>& classes() const override { return classes_; }
  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(index);
    if (index == 13) misbehave();
    return static_cast<std::int32_t>(index % 3);
  }

 private:
  void misbehave() const {
    if (fault_ == "integer") throw 42;
    if (fault_ == "standard") throw std::runtime_error("the disk is gone");
    if (fault_ == "memory") throw std::bad_alloc();
    if (fault_ == "address") *nowhere = 1;
    if (fault_ == "division") zero = seven / zero;
    if (fault_ == "abort") std::abort();
    if (fault_ == "bus") ::raise(SIGBUS);
    if (fault_ == "instruction") __builtin_trap();
    if (fault_ == "stack") zero = fall(1);
    if (fault_ == "thread") std::thread([] { *nowhere = 1; }).join();
    const auto fail = [] { throw std::runtime_error("out of a destructor"); };
    if (fault_ == "noexcept") [&]() noexcept { fail(); }();
  }

  std::string fault_;
  std::vector<std::string> classes_{"a", "b", "c"};
};

constexpr halfling::OptionDeclaration options[] = {
    {"fault", halfling::OptionType::string, "", "\"none\"", "what goes wrong"},
};

}  // namespace

HALFLING_PLUGIN(Wild, "wild", "1.0.0", "misbehaves as it is told", options)
