// SPDX-License-Identifier: Apache-2.0
#include "measure/accelerator.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

#include "base/input_file.hpp"
#include "experiment/toml_reader.hpp"
#include "halfling/error.hpp"
#include "measure/accelerator_list.hpp"

namespace halfling {
namespace {

// What products and loops of these sizes get of a data sheet's figures, and how long a step of a captured
// iteration takes to begin. Stated, not fitted: docs in plan/roofline.hpp.
constexpr double launch_s = 2.5e-6;
constexpr double single_share = 0.7, half_share = 0.45, bandwidth_share = 0.75;

Error bad_row(const std::string& file, const toml::source_region& at, std::string what, std::string got,
              std::string expected) {
  return Error({.what = std::move(what),
                .where = fmt::format("{}:{}:{}", file, at.begin.line, at.begin.column),
                .got = std::move(got),
                .expected = std::move(expected),
                .hint = "accelerators.toml in core/measure says what its keys mean",
                .kind = ErrorKind::usage});
}

class RowReader {
 public:
  RowReader(std::string name, const toml::table& row, const std::string& file)
      : name_(std::move(name)), row_(row), file_(file) {}

  Accelerator read() {
    check_keys();
    Accelerator a;
    a.name = name_;
    a.what = text("what");
    a.memory = 1e9 * number("memory", true);
    a.rates = {.f32 = 1e12 * number("fp32", true),
               .tf32 = 1e12 * number("tf32", false),
               .half = 1e12 * number("half", false),
               .bandwidth = 1e9 * number("bandwidth", true),
               .launch_s = launch_s,
               .processors = static_cast<int>(number("processors", true)),
               .single_share = single_share,
               .half_share = half_share,
               .bandwidth_share = bandwidth_share};
    // Without tensor cores a product in half is one in single precision.
    if (a.rates.half <= a.rates.f32) a.rates.half_share = single_share;
    a.price = text("price");
    a.source = text("source");
    a.date = text("date");
    return a;
  }

 private:
  void check_keys() const {
    constexpr const char* known[] = {"what", "memory",     "bandwidth", "fp32",   "tf32",
                                     "half", "processors", "price",     "source", "date"};
    for (const auto& [key, node] : row_)
      if (std::ranges::find(known, key.str()) == std::end(known))
        throw bad_row(file_, key.source(), "an accelerator has no such key", std::string(key.str()),
                      fmt::format("one of {}", fmt::join(known, ", ")));
  }
  std::string text(const char* key) const {
    const toml::node* node = row_.get(key);
    if (node != nullptr && !node->is_string())
      throw bad_row(file_, node->source(), "a value of an accelerator is no text", name_ + "." + key,
                    "a text in quotes");
    return node == nullptr ? "" : node->value_or(std::string());
  }
  double number(const char* key, bool required) const {
    const toml::node* node = row_.get(key);
    if (node == nullptr && !required) return 0;
    const double value = node == nullptr ? 0 : node->value_or(0.0);
    if (!(value > 0) || value > 1e6)
      throw bad_row(file_, node == nullptr ? row_.source() : node->source(),
                    node == nullptr ? "a figure of an accelerator is missing"
                                    : "a figure of an accelerator cannot be used",
                    name_ + "." + key, "a number above zero, at most a million");
    return value;
  }

  std::string name_;
  const toml::table& row_;
  const std::string& file_;
};

}  // namespace

std::vector<Accelerator> parse_accelerators(const std::string& toml, const std::string& file) {
  if (config::nested_too_deep(toml) != std::string::npos)
    throw bad_row(file, {{1, 1}, {1, 1}, nullptr}, "a catalogue of accelerators is nested too deep", {},
                  "a table for each accelerator");
  try {
    std::vector<Accelerator> accelerators;
    for (const auto& [name, node] : toml::parse(toml, file)) {
      const toml::table* row = node.as_table();
      if (row == nullptr)
        throw bad_row(file, node.source(), "a catalogue of accelerators has a value beside its tables",
                      std::string(name.str()), "[NAME], then its figures");
      accelerators.push_back(RowReader(std::string(name.str()), *row, file).read());
    }
    return accelerators;
  } catch (const toml::parse_error& error) {
    throw bad_row(file, error.source(), "a catalogue of accelerators is no TOML",
                  std::string(error.description()), "a table for each accelerator");
  }
}

std::vector<Accelerator> known_accelerators(const std::optional<std::filesystem::path>& own) {
  std::vector<Accelerator> all;
  if (own) {
    const auto text = read_file(*own, largest_document);
    if (!text)
      throw Error({.what = "the catalogue of accelerators is not there",
                   .where = own->string(),
                   .expected = "a TOML file with a table for each accelerator",
                   .kind = ErrorKind::usage});
    all = parse_accelerators(*text, own->string());
  }
  for (Accelerator& shipped : parse_accelerators(shipped_accelerators_toml, "accelerators.toml"))
    if (std::ranges::find(all, shipped.name, &Accelerator::name) == all.end())
      all.push_back(std::move(shipped));
  return all;
}

}  // namespace halfling
