// SPDX-License-Identifier: Apache-2.0
#include "cli/fetch_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/experiment_file.hpp"
#include "experiment/core_tables.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;

/// nullptr where the plugin has no such option.
template <class T>
const T* option(const Choice& dataset, std::string_view name) {
  const auto& values = dataset.options.values();
  const auto found = values.find(name);
  return found == values.end() ? nullptr : std::get_if<T>(&found->second);
}

Card card_of(const Choice& dataset) {
  std::vector<Card> cards = shipped_cards();
  std::erase_if(cards, [&](const Card& card) { return card.use != dataset.use; });
  if (cards.size() == 1) return cards.front();
  std::string names;
  for (const Card& card : cards) names += (names.empty() ? "" : ", ") + card.name;
  throw Error({.what = "what the experiment's data set needs is known from no card",
               .where = "dataset.use",
               .got = dataset.use,
               .expected = "a data set that one card describes",
               .hint = names.empty() ? "no files of this data set can be fetched; set its options to yours"
                                     : "fetch one of its cards by name: " + names,
               .kind = ErrorKind::usage});
}

Wanted wanted_by(const Choice& dataset) {
  Wanted result{card_of(dataset), {}, {}};
  if (const auto* root = option<std::string>(dataset, "root")) result.folder = *root;
  const auto* form = option<std::string>(dataset, "form");
  const auto* classes = option<std::vector<std::string>>(dataset, "classes");
  if (result.card.class_url.empty() || classes == nullptr) {
    result.files = result.card.files;
    return result;
  }
  for (const std::string& name : *classes)
    result.files.push_back(file_of_class(result.card, name, form != nullptr && *form == "strokes"));
  return result;
}

bool same(const Wanted& a, const Wanted& b) {
  return a.folder == b.folder && a.card.name == b.card.name &&
         std::ranges::equal(a.files, b.files, {}, &CardFile::name, &CardFile::name);
}

}  // namespace

bool names_experiment(const fs::path& named) {
  if (experiment_path(named) != named) return true;
  if (named.extension() != ".toml") return false;
  return std::ranges::any_of(keys_of(named), [](const std::string& key) {
    return key == "extends" || config::core_table(key) != nullptr;
  });
}

std::vector<Wanted> wanted_by(const fs::path& experiment, const Values& values) {
  const Registry registry = Registry::scan(plugin_path(values));
  LoadRequest request{experiment_path(experiment), {}};
  if (values.count("set") != 0) request.set = values["set"].as<Arguments>();
  std::vector<Wanted> result;
  for (const Experiment& trial : load_experiment(request, registry).trials) {
    Wanted wanted = wanted_by(trial.dataset);
    if (std::ranges::none_of(result, [&](const Wanted& other) { return same(wanted, other); }))
      result.push_back(std::move(wanted));
  }
  return result;
}

}  // namespace halfling::cli
