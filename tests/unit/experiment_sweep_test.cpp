// SPDX-License-Identifier: Apache-2.0
// [sweep]: which trials it gives, and in which order.
#include <algorithm>
#include <set>

#include "experiment_load.hpp"

using namespace halfling;
using namespace halfling::testing;

namespace {

std::vector<std::string> labels(const LoadedExperiment& loaded) {
  std::vector<std::string> result;
  for (const Experiment& trial : loaded.trials) result.push_back(trial.label);
  return result;
}

std::vector<std::string> labels_of(const std::string& sweep, std::vector<std::string> set = {}) {
  const Folder folder;
  return labels(load(folder.write("a.toml", base + sweep), std::move(set)));
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("zip sets its keys together, inside the matrix") {
  CHECK(labels_of(R"([sweep.matrix]
"precision.use" = ["fp32", "mixed"]
[sweep.zip]
"input.batch_size" = [16, 64]
"optimizer.learning_rate" = [0.1, 0.2]
)") == Labels{"precision.use=fp32, input.batch_size=16, optimizer.learning_rate=0.1",
              "precision.use=fp32, input.batch_size=64, optimizer.learning_rate=0.2",
              "precision.use=mixed, input.batch_size=16, optimizer.learning_rate=0.1",
              "precision.use=mixed, input.batch_size=64, optimizer.learning_rate=0.2"});
}

TEST_CASE("include adds trials, exclude takes some away, numbers compare by value") {
  CHECK(labels_of(R"([sweep.matrix]
"precision.use" = ["fp32", "mixed"]
"optimizer.beta1" = [0, 0.5]
[[sweep.exclude]]
"precision.use" = "mixed"
"optimizer.beta1" = 0.0
[[sweep.include]]
"precision.half" = "bf16"
"input.batch_size" = 8
)") == Labels{"precision.use=fp32, optimizer.beta1=0", "precision.use=fp32, optimizer.beta1=0.5",
              "precision.use=mixed, optimizer.beta1=0.5", "precision.half=bf16, input.batch_size=8"});
  CHECK(labels_of(
            "[[sweep.include]]\n\"input.batch_size\" = 8\n[[sweep.include]]\n\"input.batch_size\" = 9\n") ==
        Labels{"input.batch_size=8", "input.batch_size=9"});
}

TEST_CASE("every combination is repeated with every seed, in the order that is asked for") {
  const std::string sweep = R"([sweep.matrix]
"precision.use" = ["fp32", "mixed"]
[sweep]
repeat = { seeds = [1, 2] }
)";
  const Labels listed{"precision.use=fp32, experiment.seed=1", "precision.use=fp32, experiment.seed=2",
                      "precision.use=mixed, experiment.seed=1", "precision.use=mixed, experiment.seed=2"};
  CHECK(labels_of(sweep) == listed);
  CHECK(labels_of(sweep + "order = \"by_seed\"\n") == Labels{listed[0], listed[2], listed[1], listed[3]});
  Labels shuffled = labels_of(sweep + "order = \"shuffled\"\n");
  CHECK(shuffled ==
        labels_of("[sweep]\norder = \"shuffled\"\nrepeat.seeds = [2, 1]\nmatrix.\"precision.use\" = "
                  "[\"mixed\", \"fp32\"]\n"));
  std::ranges::sort(shuffled);
  CHECK(shuffled == listed);
  CHECK(labels_of(sweep, {"experiment.seed=7"}) == Labels{"precision.use=fp32", "precision.use=mixed"});
}

TEST_CASE("interleaved trials take turns, five each unless the file says otherwise") {
  const Folder folder;
  const auto file =
      folder.write("a.toml", base + "[sweep.matrix]\n\"precision.use\" = [\"fp32\", \"mixed\"]\n");
  CHECK(load(file).blocks == 1);
  const LoadedExperiment loaded = load(file, {"sweep.order=interleaved"});
  CHECK(loaded.blocks == 5);
  CHECK(loaded.trials.front().id == load(file).trials.front().id);
  CHECK(load(file, {"sweep.order=interleaved", "sweep.blocks=8"}).blocks == 8);
}

TEST_CASE("on_failure is stop unless the file or the command line says continue") {
  const Folder folder;
  const auto file =
      folder.write("a.toml", base + "[sweep.matrix]\n\"precision.use\" = [\"fp32\", \"mixed\"]\n");
  CHECK_FALSE(load(file).continue_after_failure);
  const LoadedExperiment loaded = load(file, {"sweep.on_failure=continue"});
  CHECK(loaded.continue_after_failure);
  CHECK(loaded.trials.front().id == load(file).trials.front().id);
}
