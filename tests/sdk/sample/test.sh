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

# The library has nothing but what the installed headers declare.
library=$(find "$work/root" -name libhalfling.so)
headers=$(find "$work/root" -path '*/include/halfling' -type d)
nm -DC --defined-only "$library" | sed -n 's/.* T halfling::\(nn::\)\{0,1\}\([A-Za-z0-9_]*\).*/\2/p' | sort -u >"$work/names"
test "$(wc -l <"$work/names")" -gt 50
while read -r name; do
  grep -rqw "$name" "$headers" || { echo "exported, but in no header: $name"; exit 1; }
done <"$work/names"

# Beside the installed plugins it is found without being told.
meson install -C "$work/build" --quiet
"$program" plugins describe sample >"$work/found"
grep -q "^optimizer/sample 1.0.0" "$work/found"

# Its author finds how.
grep -q "halfling.pc" "$(find "$work/root" -path '*/share/doc/halfling/plugins.md')"

# Experiments are installed file by file, as a user's own may lie beside them, and with all that they extend.
if meson introspect --installed "$build" | grep -q '/experiments":'; then exit 1; fi
experiments=$(find "$work/root" -path '*/halfling/experiments')
for file in "$experiments"/*.toml; do "$program" explain "$file" >/dev/null; done
