// SPDX-License-Identifier: Apache-2.0
// The plugin boundary: one exported symbol, a constant-initialised descriptor that the host judges before any
// other code of the plugin runs. Behind its factory stand C++20 classes, one header per kind, so host and
// plugin must come from the same toolchain; the fingerprint proves it.
//
//   class MyScaler : public halfling::LossScaler { explicit MyScaler(const halfling::Options&); … };
//   constexpr halfling::OptionDeclaration options[] = {{"initial", OptionType::number, "", "65536", "…", 1}};
//   HALFLING_PLUGIN(MyScaler, "my-scaler", "1.0.0", "one line that says what it is", options)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "halfling/build_id.hpp"  // generated: HALFLING_HEADER_HASH, HALFLING_VERSION
#include "halfling/option.hpp"

namespace halfling {

// When to change what:
// - plugin_abi_version is raised by one with every change of what is read before the fingerprint can be
//   trusted: a field of PluginDescriptor or OptionDeclaration (added, removed, moved, of another type or
//   meaning), a number of OptionType, the name or kind of the exported symbol. The host takes its own version
//   alone. Raise it in the commit that makes the change; a test plugin of version 99 stays refused.
// - Nothing is raised for changes of the classes behind the factory, of inline functions or of constants: any
//   change of any header of the SDK changes the hash in the fingerprint, and plugins must be built again.
// - The fingerprint gets another word where something else decides about layout or calls: a macro of the
//   standard library, a compiler's option.
// - plugin_magic changes never: it tells a descriptor from anything else of that name.
// - A function that is added to an interface gets a default where one makes sense, so that plugins need no
//   more than to be built again; one that is taken away or changes its meaning without changing its type gets
//   another name, so that a plugin which overrides it no longer compiles.
inline constexpr std::uint32_t plugin_abi_version = 1;
inline constexpr char plugin_magic[8] = {'H', 'A', 'L', 'F', 'L', 'N', 'G', '1'};

/// Base of everything that a plugin makes.
class HALFLING_API Component {
 public:
  Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component();
};

struct PluginDescriptor {
  char magic[8];
  std::uint32_t struct_size;
  std::uint32_t abi_version;
  const char* fingerprint;
  const char* kind;  ///< `Class::kind` of an interface: "backend", "optimizer", …
  const char* name;
  const char* version;
  const char* summary;
  const OptionDeclaration* options;
  std::size_t option_count;
  Component* (*create)(const Options&);  ///< the caller owns the result; may throw Error
};

}  // namespace halfling

#define HALFLING_STRING_(x) #x
#define HALFLING_STRING(x) HALFLING_STRING_(x)

#if defined(__clang__)
#define HALFLING_COMPILER "clang-" HALFLING_STRING(__clang_major__)
#else
#define HALFLING_COMPILER "gcc-" HALFLING_STRING(__GNUC__)
#endif
#if defined(_LIBCPP_VERSION)
#define HALFLING_LIBRARY "libc++-" HALFLING_STRING(_LIBCPP_VERSION)
#elif defined(_GLIBCXX_DEBUG)
#define HALFLING_LIBRARY "libstdc++-debug-cxx11abi" HALFLING_STRING(_GLIBCXX_USE_CXX11_ABI)
#else
#define HALFLING_LIBRARY "libstdc++-cxx11abi" HALFLING_STRING(_GLIBCXX_USE_CXX11_ABI)
#endif
#if defined(__has_feature)
#define HALFLING_HAS_FEATURE_(x) __has_feature(x)
#else
#define HALFLING_HAS_FEATURE_(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HALFLING_HAS_FEATURE_(address_sanitizer)
#define HALFLING_SANITIZER "+asan"
#elif defined(__SANITIZE_THREAD__) || HALFLING_HAS_FEATURE_(thread_sanitizer)
#define HALFLING_SANITIZER "+tsan"
#else
#define HALFLING_SANITIZER ""
#endif
// The host asks an object for its type (dynamic_cast), and errors pass through the plugin's functions.
#if defined(__GXX_RTTI)
#define HALFLING_RTTI ""
#else
#define HALFLING_RTTI " no-rtti"
#endif
#if defined(__EXCEPTIONS)
#define HALFLING_EXCEPTIONS ""
#else
#define HALFLING_EXCEPTIONS " no-exceptions"
#endif

namespace halfling::detail {
struct Packed {
  char first;
  double second;
};
static_assert(sizeof(Packed) == 16, "a plugin that is compiled with -fpack-struct cannot be loaded");
}  // namespace halfling::detail

/// Compiler, standard library, language level, sanitizer, what was switched off, and a hash of the SDK's
/// headers. Macros that only add checks, as _GLIBCXX_ASSERTIONS does, change no layout and may differ.
#define HALFLING_FINGERPRINT                                                 \
  HALFLING_COMPILER " " HALFLING_LIBRARY " c++" HALFLING_STRING(__cplusplus) \
      HALFLING_SANITIZER HALFLING_RTTI HALFLING_EXCEPTIONS " sdk-" HALFLING_HEADER_HASH

/// Defines the descriptor. `Class` derives from one kind's interface (which names it in `Class::kind`) and
/// has a constructor from `const halfling::Options&`. `options` is a constexpr array or span of
/// OptionDeclaration.
#define HALFLING_PLUGIN(Class, plugin_name, plugin_version, plugin_summary, plugin_options) \
  extern "C" HALFLING_API constinit const halfling::PluginDescriptor halfling_plugin = {    \
      {'H', 'A', 'L', 'F', 'L', 'N', 'G', '1'},                                             \
      sizeof(halfling::PluginDescriptor),                                                   \
      halfling::plugin_abi_version,                                                         \
      HALFLING_FINGERPRINT,                                                                 \
      Class::kind,                                                                          \
      plugin_name,                                                                          \
      plugin_version,                                                                       \
      plugin_summary,                                                                       \
      std::span<const halfling::OptionDeclaration>(plugin_options).data(),                  \
      std::span<const halfling::OptionDeclaration>(plugin_options).size(),                  \
      [](const halfling::Options& o) -> halfling::Component* { return new Class(o); },      \
  };

namespace halfling {
/// For plugins without options.
inline constexpr std::span<const OptionDeclaration> no_options{};
}  // namespace halfling
