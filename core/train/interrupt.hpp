// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM, SIGQUIT and a terminal that closes (SIGHUP) ask a run to end after the running iteration;
// a second one ends the process at once. SIGUSR1 asks for a checkpoint, and the run goes on. README.md has
// the table.
#pragma once

namespace halfling {

/// From here on the first SIGINT, SIGTERM, SIGQUIT or SIGHUP only sets a flag and restores the system's own
/// treatment of them, so that the next one kills, and says so at once where `tells`; under nohup SIGHUP stays
/// ignored.
void watch_interrupts(bool tells);
/// Turns a limit of a file's size (SIGXFSZ) and a pipe that nobody reads (SIGPIPE) into ordinary write
/// errors.
void ignore_write_signals();
/// Whether one has come.
bool interrupted();
/// Whether SIGUSR1 has come since checkpoint_begun() was called last.
bool checkpoint_wanted();
void checkpoint_begun();

}  // namespace halfling
