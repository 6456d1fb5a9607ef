// SPDX-License-Identifier: Apache-2.0
// The metrics as a table, for spreadsheets and data frames.
#include <charconv>
#include <cmath>
#include <fstream>

#include "halfling/error.hpp"
#include "halfling/reporter.hpp"

namespace {

using namespace halfling;

class Csv final : public Reporter {
 public:
  explicit Csv(const Options& options) : name_(options.string("file")) {
    if (name_.find('/') != std::string::npos)
      throw Error({.what = "the table is a file of the run folder",
                   .where = "reporter.file",
                   .got = name_,
                   .expected = "a name without a folder",
                   .kind = ErrorKind::usage});
  }

  void began(const RunDescription& run) override {
    path_ = run.folder / name_;
    const std::string kept = lines_through(run.iteration);
    const std::filesystem::path partial = path_.string() + ".partial";
    file_.open(partial, std::ios::trunc);
    file_ << heading(run.operations) << kept << std::flush;
    check();  // a table that could not be written never takes the place of the one that is there
    std::filesystem::rename(partial, path_);
  }

  void metrics(const RunMetrics& now) override {
    file_ << now.iteration << "," << now.epoch << "," << number(now.elapsed) << ","
          << number(now.images_per_s);
    for (const OperationMetrics& o : now.operations)
      file_ << "," << number(o.loss) << "," << number(o.loss_scale) << "," << o.skipped << "," << o.nonfinite
            << "," << number(o.learning_rate);
    file_ << std::endl;
    check();
  }

 private:
  static std::string heading(const std::vector<std::string>& operations) {
    std::string line = "iteration,epoch,elapsed_s,images_per_s";
    for (const std::string& operation : operations)
      for (const char* figure : {"loss", "loss_scale", "skipped", "nonfinite", "learning_rate"})
        line += "," + operation + "." + figure;
    return line + "\n";
  }

  /// Empty where nothing was measured; as short as it can be without loss.
  static std::string number(double value) {
    if (std::isnan(value)) return {};
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    return {text, end};
  }

  /// Of the execution before this one, which may have come further than the checkpoint.
  std::string lines_through(std::int64_t iteration) const {
    std::ifstream file(path_);
    std::string kept, line;
    std::getline(file, line);  // the heading
    while (std::getline(file, line)) {
      std::int64_t at = 0;
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), at);
      if (error == std::errc{} && end != line.data() + line.size() && at <= iteration) kept += line + "\n";
    }
    return kept;
  }

  void check() const {
    if (!file_) throw Error({.what = "the table of metrics cannot be written", .where = path_.string()});
  }

  std::string name_;
  std::filesystem::path path_;
  std::ofstream file_;
};

constexpr OptionDeclaration options[] = {
    {"file", OptionType::string, "", "\"metrics.csv\"", "its name in the run folder"},
};

}  // namespace

HALFLING_PLUGIN(Csv, "csv", HALFLING_VERSION, "the metrics as a table with commas", options)
