#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test.sh BUILD KIND: installs the build into a scratch folder, begins a plugin of the kind there with the installed
# program, and does what its README says: it must compile without a warning, and its test pass.
set -eu
build=$1
kind=$2
unset LD_LIBRARY_PATH  # the installed library, not the one of the build tree
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

meson install -C "$build" --no-rebuild --quiet --destdir "$work/root"
pc=$(find "$work/root" -name halfling.pc)
program=$(find "$work/root" -path '*/bin/halfling')
export PKG_CONFIG_PATH="${pc%/*}"
cd "$work"
"$program" new "$kind" my-own_1
cd my-own_1
if grep -r '@[A-Z]*@' .; then exit 1; fi
test "$(wc -l <my-own_1.cpp)" -lt 100
meson setup build -Dwerror=true
meson test -C build --print-errorlogs --timeout-multiplier 5
"$program" plugins describe "$(echo "$kind" | tr - _)/my-own_1" --plugin-path build
