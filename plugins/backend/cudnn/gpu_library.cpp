// SPDX-License-Identifier: Apache-2.0
#include "gpu_library.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "halfling/error.hpp"

namespace halfling::cudnn {
namespace {

const GpuLibrary& load() {
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&gpu_library), &self);
  const auto file = std::filesystem::path(self.dli_fname).parent_path() / "libhalfling-cudnn.so.0";
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // never unloaded, like a plugin
  const void* const symbol = library == nullptr ? nullptr : dlsym(library, "halfling_cudnn_library");
  if (symbol != nullptr) return *static_cast<const GpuLibrary*>(symbol);
  const bool exists = std::filesystem::exists(file);
  throw Error({.what = "a library that backend cudnn needs cannot be loaded",
               .where = file.string(),
               .got = dlerror(),
               .hint = exists ? "install cuDNN 9 and cuBLAS for the CUDA toolkit that halfling was built with"
                              : "this part of the backend is not built; ./dev build makes it"});
}

}  // namespace

const GpuLibrary& gpu_library() {
  static const GpuLibrary& loaded = load();
  return loaded;
}

}  // namespace halfling::cudnn
