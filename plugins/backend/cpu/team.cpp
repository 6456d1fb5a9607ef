// SPDX-License-Identifier: Apache-2.0
#include "team.hpp"

#include <omp.h>

#include <cstdlib>

#include "halfling/processors.hpp"

namespace halfling::cpu {
namespace {

/// OpenMP's own count is that of the first call: lead() changes it.
int by_itself() {
  static const int threads =
      std::getenv("OMP_NUM_THREADS") != nullptr ? omp_get_max_threads() : usable_processors();
  return threads;
}

/// What the environment says otherwise would make the number of threads differ from one region to the next
/// (OMP_DYNAMIC), or be 1 against what omp_get_max_threads promises (OMP_MAX_ACTIVE_LEVELS).
void lead_team_of(int threads) {
  omp_set_dynamic(0);
  if (omp_get_max_active_levels() < 1) omp_set_max_active_levels(1);
  omp_set_num_threads(threads);
}

/// Only a region tells.
int given(int wanted) {
  lead_team_of(wanted);
  int threads = 1;
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  return threads;
}

}  // namespace

Team::Team(int wanted) : wanted_(by_itself()), threads_(1) {
  if (wanted != 0) wanted_ = wanted;
  threads_ = given(wanted_);
}

void Team::lead() const {
  lead_team_of(threads_);
}

}  // namespace halfling::cpu
