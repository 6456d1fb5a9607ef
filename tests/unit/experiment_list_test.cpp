// SPDX-License-Identifier: Apache-2.0
// Lists of components, [[transform]]: how layers merge.
#include "experiment_list.hpp"

using namespace halfling;
using namespace halfling::testing;

namespace {

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a list has its elements in the order of the file, each with its options") {
  const Files files;
  CHECK(files.transforms("") == "flip 0.25, crop 20");
  const Folder folder;
  CHECK(text_of(only(load(folder.write("a.toml", base)))).empty());
  CHECK(text_of(only(load(folder.write("a.toml", base + crop + flip)))) == "crop 20, flip 0.25");
  CHECK(text_of(only(load(folder.write("a.toml", base + "[[transform]]\nuse = \"flip\"\n")))) == "flip 0.50");
}

TEST_CASE("an element of the same name merges over the one below; a new name appends") {
  const Files files;
  CHECK(files.transforms("[[transform]]\nuse = \"flip\"\nprobability = 0.75\n") == "flip 0.75, crop 20");
  CHECK(files.transforms("[[transform]]\nname = \"crop\"\nsize = 8\n") == "flip 0.25, crop 8");
  CHECK(files.transforms("[[transform]]\nname = \"again\"\nuse = \"flip\"\n") ==
        "flip 0.25, crop 20, again:flip 0.50");
  CHECK(files.transforms("[transform.crop]\nsize = 8\n[transform.again]\nuse = \"flip\"\n") ==
        "flip 0.25, crop 8, again:flip 0.50");
  CHECK(files.transforms("[transform]\nappend = [{use = \"flip\", name = \"again\"}]\n") ==
        "flip 0.25, crop 20, again:flip 0.50");
}

TEST_CASE("inherited elements can be removed, one or all") {
  const Files files;
  CHECK(files.transforms("transform.remove = [\"flip\"]\n") == "crop 20");
  CHECK(files.transforms("[transform]\nremove = [\"flip\"]\n[transform.flip]\nuse = \"flip\"\n") ==
        "crop 20, flip 0.50");
  CHECK(files.transforms("transform = []\n").empty());
  CHECK(files.transforms("transform.remove = [\"*\"]\n").empty());
  CHECK(files.transforms("", {"transform=[]", "transform.last.use=flip"}) == "last:flip 0.50");
  CHECK(files.transforms("", {"transform.remove=[\"crop\"]", "transform.remove=[\"flip\"]"}).empty());
  CHECK(files.transforms("", {"transform.flip.probability=0", "transform.remove=[\"flip\"]"}) == "crop 20");
  CHECK(files.errors("", {"transform.remove=[\"crp\"]"}).find("did you mean \"crop\"?") != std::string::npos);
}

TEST_CASE("a file that is a part removes what lies below where it is extended") {
  const Files files;
  files.folder.write("without.toml", "transform.remove = [\"flip\"]\n");
  files.folder.write("none.toml", "transform = []\n");
  const auto extends = [&](const std::string& list) {
    return text_of(only(load(files.folder.write("b.toml", "extends = [" + list + "]\n" + crop))));
  };
  CHECK(extends("\"base.toml\", \"without.toml\"") == "crop 20");
  CHECK(extends("\"base.toml\", \"none.toml\"") == "crop 20");
  CHECK(extends("\"base.toml\"") == "flip 0.25, crop 20");
  CHECK(errors_of(files.folder.write("b.toml", "extends = [\"without.toml\", \"base.toml\"]\n"))
            .find("without.toml:1:21: error[E019]: \"transform\" has no element \"flip\" to remove") !=
        std::string::npos);
}

TEST_CASE("another plugin under the same name drops the options of the old one, and a note says so") {
  const Files files;
  const LoadedExperiment loaded = files.load("[[transform]]\nname = \"flip\"\nuse = \"crop\"\nsize = 3\n");
  CHECK(text_of(only(loaded)) == "flip:crop 3, crop 20");
  REQUIRE(loaded.notes.size() == 1);
  CHECK(
      loaded.notes[0].ends_with("a.toml:4:7: note: transform.flip changes from \"flip\" to \"crop\"; dropped "
                                "what was set for \"flip\": probability"));
}

TEST_CASE("--set and sweeps reach an element by its name") {
  const Files files;
  CHECK(files.transforms("", {"transform.flip.probability=0.125"}) == "flip 0.12, crop 20");
  CHECK(files.transforms("", {"transform.more.use=flip", "transform.more.probability=1"}) ==
        "flip 0.25, crop 20, more:flip 1.00");
  const LoadedExperiment swept = files.load("[sweep.matrix]\n\"transform.flip.probability\" = [0, 0.5]\n");
  REQUIRE(swept.trials.size() == 2);
  CHECK(swept.trials[1].label == "transform.flip.probability=0.5");
  CHECK(text_of(swept.trials[0]) == "flip 0.00, crop 20");
  CHECK(text_of(swept.trials[1]) == "flip 0.50, crop 20");
  CHECK(swept.trials[0].id != swept.trials[1].id);
  const LoadedExperiment with =
      files.load("[sweep.matrix]\n\"transform.remove\" = [[], [\"flip\"]]\n", {"transform.crop.size=4"});
  REQUIRE(with.trials.size() == 2);
  CHECK(text_of(with.trials[0]) == "flip 0.25, crop 4");
  CHECK(text_of(with.trials[1]) == "crop 4");
  const LoadedExperiment whole =
      files.load("transform = []\n[sweep.matrix]\ntransform = [[], [{use = \"flip\"}]]\n");
  REQUIRE(whole.trials.size() == 2);
  CHECK(text_of(whole.trials[0]).empty());
  CHECK(text_of(whole.trials[1]) == "flip 0.50");
}

TEST_CASE("a variable stands in an element, too, and not for one") {
  const Files files;
  CHECK(contains(files.errors("transform.remove = [\"${vars.n}\"]\n[vars]\nn = 3\n"),
                 "\"transform\" has no element \"3\" to remove"));
  CHECK(contains(files.errors("transform = \"${vars.n}\"\n[vars]\nn = [3]\n"),
                 "expected: tables: [[transform]]"));
  CHECK(contains(files.errors("[vars]\nn = \"flip\"\n[[transform]]\nuse = \"${vars.n}\"\n"),
                 "an element is named by its plugin, unless it has a `name`"));
  CHECK(files.transforms("[vars]\nn = \"flip\"\n[[transform]]\nname = \"x\"\nuse = \"${vars.n}\"\n") ==
        "flip 0.25, crop 20, x:flip 0.50");
  CHECK(files.transforms("[vars]\nside = 6\n[transform.crop]\nsize = \"${vars.side}\"\n") ==
        "flip 0.25, crop 6");
}
