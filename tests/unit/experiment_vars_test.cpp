// SPDX-License-Identifier: Apache-2.0
// [vars], and changes to lists.
#include "experiment_load.hpp"

using namespace halfling;
using namespace halfling::testing;

namespace {

const std::string with_vars = base + R"([vars]
batch = 48
rate = 1e-3
root = "pictures"
names = ["a", "b"]
deep = "v"
[input]
batch_size = "${vars.batch}"
)";

}  // namespace

TEST_CASE("a reference takes the variable's value with its type, or writes it into a text") {
  const Folder folder;
  const auto file = folder.write("a.toml", with_vars + R"([sample]
every = "${vars.batch}it"
[checkpoint]
every = "5min"
)");
  const Experiment e =
      only(load(file, {"optimizer.learning_rate=${vars.rate}", "experiment.name=x-${vars.deep}-1"}));
  CHECK(e.input.batch_size == 48);
  CHECK(e.name == "x-v-1");
  CHECK(e.sample.every == Interval{0, 48});
  CHECK(e.optimizer.options.number("learning_rate") == 1e-3);
  CHECK(origin(e, "input.batch_size").from == file.string() + ":28:9 by way of " + file.string() + ":34:14");
}

TEST_CASE("a list, and a path of the file that wrote it, come through a variable") {
  const Folder folder;
  folder.write("sub/base.toml", with_vars);
  const auto file = folder.write("a.toml", R"(extends = ["sub/base.toml"]
[dataset]
use = "files"
root = "${vars.root}"
classes = "${vars.names}"
)");
  const Experiment e = only(load(file));
  CHECK(e.dataset.options.strings("classes") == std::vector<std::string>{"a", "b"});
  CHECK(e.dataset.options.string("root") == (folder.path() / "sub/pictures").string());
}

TEST_CASE("a variable can be set, overridden and swept") {
  const Folder folder;
  folder.write("base.toml", with_vars);
  const auto file = folder.write("a.toml", "extends = [\"base.toml\"]\n[vars]\nbatch = 24\n");
  CHECK(only(load(file)).input.batch_size == 24);
  CHECK(only(load(file, {"vars.batch=12"})).input.batch_size == 12);
  const auto trials = load(file, {"sweep.matrix.\"vars.batch\"=[1, 2]"}).trials;
  REQUIRE(trials.size() == 2);
  CHECK(trials[1].input.batch_size == 2);
  CHECK(trials[1].label == "vars.batch=2");
}

TEST_CASE("a text with a dollar sign resolves to itself") {
  const Folder folder;
  const std::string text = base + "[backend]\nuse = \"reference\"\n";
  const auto file = folder.write("a.toml", text);
  const std::vector<std::string> set{
      "dataset={use=\"files\", root=\"/a$${b}\", classes=[\"$${\", \"$$${x}\"]}"};
  const Experiment e = only(load(file, set));
  CHECK(e.dataset.options.string("root") == "/a${b}");
  CHECK(e.dataset.options.strings("classes") == std::vector<std::string>{"${", "$${x}"});
  const Experiment again = only(load(folder.write("b.toml", e.toml)));
  CHECK(again.id == e.id);
  CHECK(again.dataset.options.values() == e.dataset.options.values());
}

TEST_CASE("append and remove change the list below, and say where from") {
  const Folder folder;
  folder.write("base.toml", base);
  folder.write("files.toml", R"(extends = ["base.toml"]
[dataset]
use = "files"
root = "/x"
classes = ["a", "b", "c"]
)");
  const auto file = folder.write("a.toml", R"(extends = ["files.toml"]
[dataset]
classes.append = ["d"]
classes.remove = ["b"]
)");
  const Experiment e = only(load(file));
  CHECK(e.dataset.options.strings("classes") == std::vector<std::string>{"a", "c", "d"});
  CHECK(origin(e, "dataset.classes").from == file.string() + ":3:1");
  CHECK(origin(e, "dataset.classes").overrode ==
        std::vector<std::string>{(folder.path() / "files.toml").string() + ":5:11"});
  const Experiment set =
      only(load(file, {"dataset.classes.append=[\"e\"]", "dataset.classes.append=[\"f\"]"}));
  CHECK(set.dataset.options.strings("classes") == std::vector<std::string>{"a", "c", "d", "e", "f"});
}
