// SPDX-License-Identifier: Apache-2.0
#include "plugin/elf.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <vector>

namespace halfling {
namespace {

#if defined(__x86_64__)
constexpr int own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int own_machine = EM_AARCH64;
#elif defined(__riscv)
constexpr int own_machine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr int own_machine = EM_PPC64;
#else
#error "name this processor's ELF machine here"
#endif

ErrorDetails defect(const char* what, const char* hint) {
  return {.what = what, .hint = hint};
}

/// As large as can be where the sum is no number of 64 bits: no file has so many bytes.
std::uint64_t end_of(std::uint64_t begin, std::uint64_t length) {
  std::uint64_t end = 0;
  return __builtin_add_overflow(begin, length, &end) ? UINT64_MAX : end;
}

// The end of the last byte that the headers promise. Loading a file that ends earlier can kill the process.
std::uint64_t promised_size(std::ifstream& stream, const Elf64_Ehdr& header) {
  std::uint64_t end = end_of(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize);
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  stream.seekg(static_cast<std::streamoff>(header.e_phoff));
  stream.read(reinterpret_cast<char*>(segments.data()),
              static_cast<std::streamsize>(segments.size() * sizeof(Elf64_Phdr)));
  if (!stream) return end_of(header.e_phoff, segments.size() * sizeof(Elf64_Phdr));
  for (const Elf64_Phdr& segment : segments) end = std::max(end, end_of(segment.p_offset, segment.p_filesz));
  return end;
}

}  // namespace

std::optional<ErrorDetails> shared_library_defect(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return defect("the file cannot be read", "check its permissions");
  Elf64_Ehdr header{};
  stream.read(reinterpret_cast<char*>(&header), sizeof header);
  const auto length = static_cast<std::uint64_t>(stream.gcount());
  if (length < SELFMAG || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return defect("the file is no shared library", "only built plugins may be named *.so");
  }
  const char* cut_off_hint = "build or copy the plugin again";
  if (length < sizeof header) return defect("the file is cut off", cut_off_hint);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != own_machine) {
    return defect("the file was built for another processor", "build the plugin on this machine");
  }
  if (header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return defect("the file is no shared library", "link the plugin with -shared");
  }
  const std::uint64_t promised = promised_size(stream, header);
  const std::uint64_t size = std::filesystem::file_size(file);
  if (size >= promised) return std::nullopt;
  return ErrorDetails{.what = "the file is cut off",
                      .got = std::to_string(size) + " bytes",
                      .expected = "at least " + std::to_string(promised) + " bytes",
                      .hint = cut_off_hint};
}

}  // namespace halfling
