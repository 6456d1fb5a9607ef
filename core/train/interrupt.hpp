// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM and a terminal that closes (SIGHUP) ask a run to end after the running iteration; a second
// one ends the process at once.
#pragma once

namespace halfling {

/// From here on the first SIGINT, SIGTERM or SIGHUP only sets a flag and restores the system's own treatment
/// of them, so that the next one kills, and says so at once where `tells`; under nohup SIGHUP stays ignored.
void watch_interrupts(bool tells);
/// Turns a limit of a file's size (SIGXFSZ) and a pipe that nobody reads (SIGPIPE) into ordinary write
/// errors.
void ignore_write_signals();
/// Whether one has come.
bool interrupted();

}  // namespace halfling
