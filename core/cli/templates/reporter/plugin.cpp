// SPDX-License-Identifier: Apache-2.0
// Finds out what disturbs a run: iterations that took `times` the median of those before them, in a table in
// the run folder, with how long they waited for their batch.
#include <algorithm>
#include <deque>
#include <fstream>
#include <sstream>

#include "halfling/error.hpp"
#include "halfling/reporter.hpp"

namespace {

using namespace halfling;

class SlowIterations final : public Reporter {
 public:
  // Only looks at options: it is made where an experiment is checked, too. Files are made in `began`.
  explicit SlowIterations(const Options& options) : times_(options.number("times")) {}

  // A resumed run makes the iterations after its checkpoint again: what was told of them is void.
  void began(const RunDescription& run) override {
    name_ = run.folder / "slow.csv";
    std::ifstream old(name_);
    std::string kept, line;
    std::getline(old, line);  // the names
    while (std::getline(old, line)) {
      std::int64_t iteration = run.iteration + 1;
      std::istringstream(line) >> iteration;
      if (iteration <= run.iteration) kept += line + "\n";
    }
    file_.open(name_, std::ios::trunc);
    file_ << "iteration,seconds,median,waited\n" << kept << std::flush;
    check();
  }

  // Training waits for this: it looks at the last 101 durations, no more.
  void iteration(const IterationDone& done) override {
    if (last_.size() > 10) {
      std::vector<double> sorted(last_.begin(), last_.end());
      const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
      std::nth_element(sorted.begin(), middle, sorted.end());
      if (done.seconds > times_ * *middle) tell(done, *middle);
    }
    last_.push_back(done.seconds);
    if (last_.size() > 101) last_.pop_front();
  }

 private:
  void tell(const IterationDone& done, double median) {
    file_ << done.iteration << "," << done.seconds << "," << median << "," << done.waited << std::endl;
    check();
  }
  void check() const {
    if (!file_)
      throw Error({.what = "the table of slow iterations cannot be written", .where = name_.string()});
  }

  double times_;
  std::filesystem::path name_;
  std::ofstream file_;
  std::deque<double> last_;  // seconds
};

constexpr OptionDeclaration options[] = {
    {"times", OptionType::number, "", "2", "the median duration, from which on an iteration is slow", 1,
     1000},
};

}  // namespace

HALFLING_PLUGIN(SlowIterations, "@NAME@", "0.1.0", "a table of iterations that took long", options)
