// SPDX-License-Identifier: Apache-2.0
// Symbol visibility: everything that crosses a shared-library boundary is marked.
#pragma once

#define HALFLING_API __attribute__((visibility("default")))
