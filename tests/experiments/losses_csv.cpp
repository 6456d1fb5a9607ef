// SPDX-License-Identifier: Apache-2.0
// A reporter as somebody outside of this tree would write it: the losses as a table for a spreadsheet.
#include <fstream>
#include <sstream>

#include "halfling/error.hpp"
#include "halfling/reporter.hpp"

namespace {

using namespace halfling;

class LossesCsv final : public Reporter {
 public:
  explicit LossesCsv(const Options& options)
      : name_(options.string("file")), separator_(options.string("separator")) {
    if (name_.empty() || name_.find('/') != std::string::npos)
      throw Error({.what = "the table is a file of the run folder",
                   .where = "reporter.file",
                   .got = name_,
                   .expected = "a name without a folder",
                   .kind = ErrorKind::usage});
  }

  void began(const RunDescription& run) override {
    file_name_ = run.folder / name_;
    const std::string kept = lines_through(run.iteration);
    file_.open(file_name_, std::ios::trunc);
    file_ << "iteration";
    for (const std::string& operation : run.operations) file_ << separator_ << operation;
    file_ << "\n" << kept;
    check();
  }
  void metrics(const RunMetrics& now) override {
    file_ << now.iteration;
    for (const OperationMetrics& operation : now.operations) file_ << separator_ << operation.loss;
    file_ << std::endl;
    check();
  }

 private:
  /// Of an execution before this one, which may have come further than the checkpoint.
  std::string lines_through(std::int64_t iteration) const {
    std::ifstream file(file_name_);
    std::string kept, line;
    std::getline(file, line);  // the names
    while (std::getline(file, line)) {
      std::int64_t number = iteration + 1;
      std::istringstream(line) >> number;
      if (number <= iteration) kept += line + "\n";
    }
    return kept;
  }
  void check() const {
    if (!file_) throw Error({.what = "the table of losses cannot be written", .where = file_name_.string()});
  }

  std::string name_, separator_;
  std::filesystem::path file_name_;
  std::ofstream file_;
};

constexpr OptionDeclaration options[] = {
    {"file", OptionType::string, "", "\"losses.csv\"", "its name in the run folder"},
    {"separator", OptionType::string, "", "\",\"", "between two columns"},
};

}  // namespace

HALFLING_PLUGIN(LossesCsv, "losses-csv", "1.0.0", "losses of each due iteration as a table", options)
