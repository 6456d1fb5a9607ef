#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test.sh BUILD SAMPLE: installs the build into a scratch folder, builds the sample plugin against that alone, and
# lets the installed program load it.
set -eu
build=$1
sample=$2
unset LD_LIBRARY_PATH  # the installed library, not the one of the build tree
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

meson install -C "$build" --no-rebuild --quiet --destdir "$work/root"
pc=$(find "$work/root" -name halfling.pc)
program=$(find "$work/root" -path '*/bin/halfling')
export PKG_CONFIG_PATH="${pc%/*}"
meson setup "$work/build" "$sample"
ninja -C "$work/build"
"$program" plugins --plugin-path "$work/build" | tee "$work/list"
grep -q "^optimizer *sample *1.0.0" "$work/list"
if grep -q "^Refused" "$work/list"; then exit 1; fi
"$program" plugins describe optimizer/sample --plugin-path "$work/build"

# Beside the installed plugins it is found without being told.
meson install -C "$work/build" --quiet
"$program" plugins describe sample >"$work/found"
grep -q "^optimizer/sample 1.0.0" "$work/found"

# Experiments are installed file by file, as a user's own may lie beside them, and with all that they extend.
if meson introspect --installed "$build" | grep -q '/experiments":'; then exit 1; fi
experiments=$(find "$work/root" -path '*/halfling/experiments')
for file in "$experiments"/*.toml; do "$program" explain "$file" >/dev/null; done
