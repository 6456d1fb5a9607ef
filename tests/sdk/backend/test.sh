#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test.sh BUILD SOURCE CONFORMANCE: installs the build into a scratch folder, builds the backend against that alone,
# and tests it: what it does not refuse must be right.
set -eu
build=$1
source=$2
conformance=$3
unset LD_LIBRARY_PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

meson install -C "$build" --no-rebuild --quiet --destdir "$work/root"
pc=$(find "$work/root" -name halfling-program.pc)
export PKG_CONFIG_PATH="${pc%/*}"
meson setup "$work/build" "$source"
ninja -C "$work/build"
"$(find "$work/root" -path '*/bin/halfling')" devices --plugin-path "$work/build" | tee "$work/devices"
grep -q "^loops .*plain loops" "$work/devices"

"$conformance" --backend loops --plugin-path "$work/build" --partial | tee "$work/result"
# Most of what pointwise ops, matrix products, sums and moves have in f32.
passed=$(sed -n 's/^conformance of loops: \([0-9]*\) passed, 0 failed, [0-9]* refused$/\1/p' "$work/result")
test "$passed" -ge 250
"$conformance" --backend loops --plugin-path "$work/build" --partial --case matmul | grep -q ", 0 failed, 0 refused"
