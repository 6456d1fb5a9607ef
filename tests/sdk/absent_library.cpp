// SPDX-License-Identifier: Apache-2.0
// What bad.cpp lacks. A copy of a plugin that links it does not find it.
extern "C" __attribute__((visibility("default"))) int defined_nowhere() {
  return 1;
}
