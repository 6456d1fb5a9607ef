// SPDX-License-Identifier: Apache-2.0
// halfling fetch [CARD | EXPERIMENT]
#include "fetch/fetch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/fetch_experiment.hpp"
#include "cli/table.hpp"
#include "halfling/cache.hpp"
#include "halfling/error.hpp"
#include "train/interrupt.hpp"
#include "train/progress.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const Values& values, const Wanted& wanted) {
  if (values.count("to") != 0) return values["to"].as<std::string>();
  if (!wanted.folder.empty()) return wanted.folder;
  const fs::path cache = cache_folder("datasets");
  if (!cache.empty()) return cache / wanted.card.name;
  throw Error({.what = "no folder for data sets is known",
               .where = "HOME, XDG_CACHE_HOME",
               .expected = "one of them, or --to FOLDER",
               .kind = ErrorKind::usage});
}

bool is_there(const Card& card) {
  const fs::path folder = cache_folder("datasets") / card.name;
  std::error_code none;
  for (const CardFile& file : card.files)
    if (!fs::exists(folder / file.name, none)) return false;
  return true;
}

std::string list() {
  std::vector<Row> rows{{"CARD", "READ BY", "SIZE", "LICENCE", "FETCHED", "WHAT"}};
  for (const Card& card : shipped_cards()) {
    std::uint64_t bytes = 0;
    for (const CardFile& file : card.files) bytes += file.bytes;
    rows.push_back({card.name, card.use, bytes == 0 ? "-" : size_text(bytes), card.licence,
                    is_there(card) ? "yes" : "no", card.title});
  }
  using How = Narrowing::How;
  return table(std::move(rows), output_width(), {{"WHAT", How::fold, 16}, {"READ BY", How::drop}}) +
         "\n`halfling fetch CARD` puts its files into " + printable(cache_folder("datasets").string()) +
         "/CARD, where an\nexperiment finds them that leaves dataset.root out.\n";
}

std::vector<CardFile> classes_of(const Values& values, const Card& card) {
  if (values.count("class") == 0) return card.files;
  std::vector<CardFile> files;
  for (const std::string& name : values["class"].as<Arguments>()) files.push_back(file_of_class(card, name));
  return files;
}

std::vector<Wanted> wanted_of(const Values& values) {
  const auto named = values["card"].as<std::string>();
  const bool experiment = names_experiment(named);
  if (experiment && values.count("class") == 0) return wanted_by(named, values);
  if (experiment || values.count("set") != 0)
    throw Error(
        {.what = experiment ? "an experiment names its classes itself" : "a card has no values to replace",
         .where = experiment ? "--class" : "--set",
         .expected = experiment ? "a card with --class, or --set dataset.classes=..." : "an experiment",
         .kind = ErrorKind::usage});
  const Card card = find_card(named);
  return {{card, classes_of(values, card), {}}};
}

double stall_of(const Values& values) {
  const auto seconds = values["stall"].as<double>();
  if (seconds >= 1 && seconds <= 3600) return seconds;
  throw Error({.what = "a server is waited for so long",
               .where = "--stall",
               .got = fmt::format("{} s", seconds),
               .expected = "1 to 3600 s",
               .kind = ErrorKind::usage});
}

/// One line that is written over, on a terminal, ten times a second.
class Line {
 public:
  void show(const std::string& file, std::uint64_t so_far, std::uint64_t all) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    const std::string of = all == 0
                               ? ""
                               : fmt::format(" of {}  {:.0f}%", size_text(all),
                                             100.0 * static_cast<double>(so_far) / static_cast<double>(all));
    std::cerr << fmt::format("\r\x1b[K{}  {}{}", printable(file), size_text(so_far), of) << std::flush;
    open_ = true;
  }
  void note(const std::string& line) {
    end();
    std::cerr << printable_lines(line) << "\n";
  }
  void end() {
    if (open_) std::cerr << "\r\x1b[K";
    open_ = false;
  }
  ~Line() { end(); }

 private:
  bool terminal_ = Progress::mode_of_stderr() == Progress::Mode::terminal, open_ = false;
  std::chrono::steady_clock::time_point next_{};
};

int fetch_one(const Values& values, const Wanted& wanted) {
  Line line;
  FetchRequest request{
      .card = wanted.card,
      .files = wanted.files,
      .folder = folder_of(values, wanted),
      .mirrors = values.count("mirror") == 0 ? Arguments{} : values["mirror"].as<Arguments>(),
      .offline = values["offline"].as<bool>(),
      .stall_s = stall_of(values),
      .note = [&](const std::string& text) { line.note(text); },
      .progress = [&](const std::string& file, std::uint64_t so_far,
                      std::uint64_t all) { line.show(file, so_far, all); }};
  try {
    fetch(request);
  } catch (const Error& error) {
    if (!interrupted()) throw;
    line.note(fmt::format("interrupted; what came of {} is kept, and the same command goes on from there",
                          error.details().where));
    return exit_interrupted;
  }
  line.end();
  std::cout << request.folder.string() << "\n";
  return exit_done;
}

}  // namespace

Grammar fetch_grammar() {
  namespace po = boost::program_options;
  Grammar grammar{
      .synopsis = "fetch [CARD | EXPERIMENT] [options]",
      .description =
          "Fetches the files of a data set, checks and unpacks them, and says what its licence asks.\n"
          "CARD is a name, as the list without CARD has it, or a card's file that ends in .toml. Of an\n"
          "EXPERIMENT's file or run folder, it is what its data set needs. What is there already is left\n"
          "alone; what was cut off goes on.",
      .positional = {"card"}};
  grammar.options.add_options()("to", po::value<std::string>()->value_name("DIR"),
                                "where the files go; otherwise the cache, where experiments find them")(
      "class", po::value<Arguments>()->composing()->value_name("NAME"),
      "only the file of this class; may be given several times, also for classes that the card does not "
      "list")(
      "mirror", po::value<Arguments>()->composing()->value_name("PLACE"),
      "an address or a folder that has the files under their names, asked first; may be given several times")(
      "offline", po::bool_switch(), "ask no server: only folders given as mirrors")(
      "stall", po::value<double>()->default_value(30)->value_name("SECONDS"),
      "without a byte, after which the next mirror is asked")(
      "set", po::value<Arguments>()->value_name("KEY=VALUE"),
      "replace a value of the experiment; may be given several times");
  add_plugin_path(grammar);
  return grammar;
}

int run_fetch(const Values& values) {
  if (values.count("card") == 0) {
    std::cout << list();
    return exit_done;
  }
  watch_interrupts(false);
  for (const Wanted& wanted : wanted_of(values))
    if (const int status = fetch_one(values, wanted); status != exit_done) return status;
  return exit_done;
}

}  // namespace halfling::cli
