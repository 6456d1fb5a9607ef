// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM ask a run to end after the running iteration; a second one ends the process at once.
#pragma once

namespace halfling {

/// From here on the first SIGINT or SIGTERM only sets a flag and restores the system's own treatment of both,
/// so that the next one kills. Also turns a file-size limit (SIGXFSZ) into an ordinary write error.
void watch_interrupts();
/// Whether one has come.
bool interrupted();

}  // namespace halfling
