// SPDX-License-Identifier: Apache-2.0
#include "plugin/elf.hpp"

#include <doctest/doctest.h>
#include <elf.h>

#include "scratch.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

/// A library's header and one segment, which this test's own program gives a machine.
struct Library {
  Elf64_Ehdr header{};
  Elf64_Phdr segment{};

  Library() {
    const std::string own = read_file("/proc/self/exe").substr(0, sizeof header);
    own.copy(reinterpret_cast<char*>(&header), sizeof header);
    header.e_type = ET_DYN;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof segment;
    header.e_phnum = 1;
    header.e_shoff = 0;
    header.e_shnum = 0;
    segment.p_filesz = sizeof header + sizeof segment;
  }
  std::string bytes() const {
    std::string result(reinterpret_cast<const char*>(&header), sizeof header);
    return result.append(reinterpret_cast<const char*>(&segment), sizeof segment);
  }
  bool is_cut_off() const {
    const Scratch scratch;
    write_file(scratch / "library", bytes());
    const auto defect = shared_library_defect(scratch / "library");
    return defect && defect->what == "the file is cut off";
  }
};

}  // namespace

TEST_CASE("a library whose headers promise more bytes than 64 bits can count is cut off") {
  CHECK(!Library().is_cut_off());
  Library table, segment, sections;
  table.header.e_phoff = UINT64_MAX - 8;  // with its 56 bytes, byte 47 of the file
  CHECK(table.is_cut_off());
  segment.segment.p_offset = UINT64_MAX - 8;
  CHECK(segment.is_cut_off());
  sections.header.e_shoff = UINT64_MAX - 8;
  sections.header.e_shnum = 1;
  sections.header.e_shentsize = sizeof(Elf64_Shdr);
  CHECK(sections.is_cut_off());
}
