// SPDX-License-Identifier: Apache-2.0
// Dataset "cifar10": the official binary batches, read as they are needed.
#include "../cifar.hpp"

namespace halfling {

namespace {

constexpr OptionDeclaration options[] = {
    {"root", OptionType::path, "", "\"\"",
     "folder with data_batch_1.bin ... and batches.meta.txt, or with cifar-10-batches-bin; \"\": where "
     "`halfling fetch "
     "cifar10` puts it"},
    {"part", OptionType::string, "", "\"train\"",
     "data_batch_N.bin, test_batch.bin or both, of which those that are there are read", -unbounded,
     unbounded, "train|test|all"},
    {"classes", OptionType::string_list, "", "[]",
     "class names; a label is a place in this list; []: all, in the order of batches.meta.txt"},
    {"limit", OptionType::integer, "images", "0", "most images of one class; 0: all", 0, 1e9},
};

class Cifar10 : public Cifar {
 public:
  explicit Cifar10(const Options& given) : Cifar(cifar10, 0, given) {}
};

}  // namespace

}  // namespace halfling

HALFLING_PLUGIN(halfling::Cifar10, "cifar10", HALFLING_VERSION,
                "CIFAR-10, small photographs of ten classes, in its binary version", halfling::options)
