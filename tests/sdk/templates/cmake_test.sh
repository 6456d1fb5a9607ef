#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cmake_test.sh BUILD: a plugin that `halfling new` began is built with CMake and passes its test, first against an
# installed halfling, then against the build tree.
set -eu
build=$1
unset LD_LIBRARY_PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

meson install -C "$build" --no-rebuild --quiet --destdir "$work/root"
program=$(find "$work/root" -path '*/bin/halfling')
mv "$work/root" "$work/moved"  # an installation can be moved
program=$work/moved${program#"$work/root"}
cd "$work"
"$program" new reporter mine
cd mine

check() {
  cmake -B "$1" -DCMAKE_CXX_FLAGS=-Werror "$2"
  cmake --build "$1"
  ctest --test-dir "$1" --output-on-failure
}
check installed "-DCMAKE_PREFIX_PATH=${program%/bin/halfling}"
check uninstalled "-Dhalfling_DIR=$build"

# Beside the installed plugins it is found without being told, and the file of a version that is not there is none.
cmake --install installed
"$program" plugins describe reporter/mine
sed -i 's/find_package(halfling/& 9.9/' CMakeLists.txt
if cmake -B other "-Dhalfling_DIR=$build" 2>"$work/errors"; then exit 1; fi
grep -q 'compatible' "$work/errors"
