// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "halfling/error.hpp"

namespace halfling::cudnn {
namespace {

const Engine& load() {
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&engine), &self);
  const auto file = std::filesystem::path(self.dli_fname).parent_path() / "libhalfling-cudnn.so.0";
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // never unloaded, like a plugin
  const void* const symbol = library == nullptr ? nullptr : dlsym(library, "halfling_cudnn_engine");
  if (symbol != nullptr) return *static_cast<const Engine*>(symbol);
  const bool exists = std::filesystem::exists(file);
  throw Error({.what = "a library that backend cudnn needs cannot be loaded",
               .where = file.string(),
               .got = dlerror(),
               .hint = exists ? "install cuDNN 9 and cuBLAS for the CUDA toolkit that halfling was built with"
                              : "it is a part of halfling and belongs beside the plugin"});
}

}  // namespace

const Engine& engine() {
  static const Engine& loaded = load();
  return loaded;
}

}  // namespace halfling::cudnn
