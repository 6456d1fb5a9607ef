// SPDX-License-Identifier: Apache-2.0
// Dataset "cifar100": the official binary files, read as they are needed.
#include "../cifar.hpp"

namespace halfling {

namespace {

constexpr OptionDeclaration options[] = {
    {"root", OptionType::path, "", "\"\"",
     "folder with train.bin, test.bin and the two lists of names, or with cifar-100-binary; \"\": where "
     "`halfling fetch "
     "cifar100` puts it"},
    {"part", OptionType::string, "", "\"train\"",
     "train.bin, test.bin or both, of which those that are there are read", -unbounded, unbounded,
     "train|test|all"},
    {"labels", OptionType::string, "", "\"fine\"", "100 classes, or the 20 that they belong to", -unbounded,
     unbounded, "fine|coarse"},
    {"classes", OptionType::string_list, "", "[]",
     "class names; a label is a place in this list; []: all, in the order of the list of names"},
    {"limit", OptionType::integer, "images", "0", "most images of one class; 0: all", 0, 1e9},
};

class Cifar100 : public Cifar {
 public:
  explicit Cifar100(const Options& given)
      : Cifar(cifar100, given.string("labels") == "fine" ? 1 : 0, given) {}
};

}  // namespace

}  // namespace halfling

HALFLING_PLUGIN(halfling::Cifar100, "cifar100", HALFLING_VERSION,
                "CIFAR-100, small photographs of a hundred classes, in its binary version", halfling::options)
