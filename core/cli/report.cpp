// SPDX-License-Identifier: Apache-2.0
// halfling report RUN...
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "base/atomic_file.hpp"
#include "base/json_text.hpp"
#include "cli/command.hpp"
#include "halfling/error.hpp"
#include "measure/price.hpp"
#include "report/page.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

/// In RUN itself where one was given, else in the folder that holds the first run.
fs::path page_file(const po::variables_map& values, const Arguments& given) {
  if (values.count("out") != 0) return output_path(values["out"].as<std::string>());
  if (given.size() == 1) return fs::path(given.front()) / "report.html";
  return fs::absolute(given.front()).lexically_normal().parent_path() / "report.html";
}

Report read_report(const Values& values) {
  std::optional<Price> price;
  if (values.count("price") != 0) price = find_price(values["price"].as<std::string>(), std::nullopt);
  std::vector<RunRecord> runs;
  for (const std::string& folder : values["run"].as<Arguments>())
    for (const fs::path& run : runs_in(folder)) runs.push_back(read_run(run));
  return {std::move(runs), price};
}

}  // namespace

Grammar report_grammar() {
  Grammar grammar{
      .synopsis = "report RUN... [options]",
      .description =
          "Writes one HTML page that needs nothing else and begins with the answer: how many times as fast\n"
          "mixed precision was, in how much memory, for how much money. Then come tables, figures by batch\n"
          "size, loss curves, image grids and, where the numerics monitor was on, histograms of gradients.\n"
          "RUN is a run folder, or a folder of run folders, such as runs/<experiment> or runs; runs in\n"
          "progress and killed ones are told of as far as they got. Beside the page stands a folder with\n"
          "each figure as SVG, its numbers and gnuplot's script.",
      .repeated = "run"};
  grammar.options.add_options()("out", po::value<std::string>()->value_name("FILE"),
                                "the page; otherwise report.html in the folder of the run or runs")(
      "price", po::value<std::string>()->value_name("PRICE"),
      "what an hour costs, such as \"0.35 USD/h\", or a name from the price list, such as gcp-t4; it takes "
      "the "
      "place of the runs' own");
  add_format(grammar);
  return grammar;
}

int run_report(const Values& values) {
  if (values.count("run") == 0)
    throw Error({.what = "report needs a run folder",
                 .expected = "halfling report RUN...",
                 .hint = "see `halfling report --help`",
                 .kind = ErrorKind::usage});
  const Report report = read_report(values);
  if (wants_json(values)) {
    using nlohmann::ordered_json;
    std::cout << json_text(report_json(report), 2) << "\n";
    return exit_done;
  }
  const fs::path file = page_file(values, values["run"].as<Arguments>());
  fs::path figures = file;
  figures.replace_extension(".figures");
  const std::vector<std::string> undrawn = write_page(file, figures, report);
  std::cout << file.string() << "\n";
  if (undrawn.empty()) return exit_done;
  std::cerr
      << "gnuplot is missing or failed (Debian: apt install gnuplot-nox); the figures can be drawn with\n";
  for (const std::string& command : undrawn) std::cerr << "  " << command << "\n";
  return exit_done;
}

}  // namespace halfling::cli
