// SPDX-License-Identifier: Apache-2.0
// A plugin with one thing wrong, which the build chooses by a macro.
#include <stdexcept>

#include "halfling/error.hpp"
#include "halfling/loss_scaler.hpp"

#ifndef NAME
#define NAME "bad"
#endif
#ifndef KIND
#define KIND halfling::LossScaler::kind
#endif
#ifndef FIRST_LETTER
#define FIRST_LETTER 'H'
#endif
#ifndef STRUCT_SIZE
#define STRUCT_SIZE sizeof(halfling::PluginDescriptor)
#endif
#ifndef ABI_VERSION
#define ABI_VERSION halfling::plugin_abi_version
#endif
#ifndef FINGERPRINT
#define FINGERPRINT HALFLING_FINGERPRINT
#endif
#ifndef SYMBOL
#define SYMBOL halfling_plugin
#endif

namespace {

class Bad final : public halfling::LossScaler {
 public:
  halfling::Value scale(halfling::Graph& graph, const std::string&) const override {
    return halfling::constant(graph, 1);
  }
  void update(halfling::Graph&, const std::string&, halfling::Value) const override {}
};

class Other final : public halfling::Component {};

halfling::Component* create(const halfling::Options&) {
#if defined(THROWS_ERROR)
  throw halfling::Error({.what = "the moon is in the wrong phase", .kind = halfling::ErrorKind::usage});
#elif defined(THROWS_STANDARD)
  throw std::out_of_range("index 7 of 3");
#elif defined(THROWS_INTEGER)
  throw 7;
#elif defined(MAKES_NOTHING)
  return nullptr;
#elif defined(MAKES_ANOTHER)
  return new Other;
#else
  return new Bad;
#endif
}

}  // namespace

#if defined(NEEDS_MISSING_FUNCTION)
extern "C" int defined_nowhere();
extern "C" HALFLING_API int call() {
  return defined_nowhere();
}
#endif

extern "C" HALFLING_API constinit const halfling::PluginDescriptor SYMBOL = {
    {FIRST_LETTER, 'A', 'L', 'F', 'L', 'N', 'G', '1'},
    STRUCT_SIZE,
    ABI_VERSION,
    FINGERPRINT,
    KIND,
    NAME,
    "1.0.0",
    "one thing is wrong here",
    nullptr,
    0,
    create,
};
