// SPDX-License-Identifier: Apache-2.0
// How the threads that compute wait for each other: how long those of OpenMP spin at a barrier before they
// sleep, and how soon the scheduler lets them go on.
#pragma once

#include <string>

namespace halfling {

/// Chooses for the OpenMP library, which reads its environment when a plugin brings it: to be called by main,
/// before plugins are loaded and threads exist. Nowhere else does the program change its environment. Left to
/// itself, GCC's library spins for milliseconds; where another process has taken the core of one thread, all
/// others then spin their own time away. A spin as long as the usual wait between two steps of an iteration
/// keeps a quiet machine's speed. What the user has set stays.
///
/// Also asks the scheduler for short slices (Linux 6.12 or newer; else nothing happens): a thread gets the
/// same share of its core, in smaller pieces, and so runs soon after it is woken. Beside a busy process per
/// core all threads then meet at a barrier sooner, and may spin for longer.
void choose_wait_policy();

/// For environment.json: "GOMP_SPINCOUNT=5000, chosen by halfling; slices of 0.1 ms",
/// "OMP_WAIT_POLICY=passive"; empty where nothing is set.
std::string wait_policy();

}  // namespace halfling
