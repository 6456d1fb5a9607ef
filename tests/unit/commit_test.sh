#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# commit_test.sh COMMIT_SH: what the generated header says of a checkout, of a changed one, and of none.
set -eu
script=$1
command -v git >/dev/null || exit 77 # Meson's "skipped"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
folder=$(realpath "$folder")
export HOME="$folder" GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

expect() { # COMMIT CHANGED
  "$script" "$folder/commit.hpp" "$folder/commit.d" "$folder/tree" "optimization 2"
  for line in "HALFLING_COMMIT \"$1\"" "HALFLING_CHANGED $2" 'HALFLING_BUILD_OPTIONS "optimization 2"'; do
    grep -qxF "#define $line" "$folder/commit.hpp" || { echo "no $line in:" && cat "$folder/commit.hpp" && exit 1; }
  done
}
commit() { git -C "$folder/tree" -c user.name=a -c user.email=a@b commit -qm message; }
head() { git -C "$folder/tree" rev-parse HEAD | cut -c1-12; }

mkdir -p "$folder/tree"
echo one >"$folder/tree/a file"
expect unknown false # no checkout

git -C "$folder" init -q
expect unknown false # in a folder of another checkout
rm -rf "$folder/.git"

git -C "$folder/tree" init -q
expect unknown false # no commit yet
git -C "$folder/tree" add . && commit
expect "$(head)" false
echo two >"$folder/tree/untracked"
expect "$(head)" false
grep -qF "$folder/tree/a\\ file" "$folder/commit.d" || { echo "the file is not watched" && exit 1; }

touch -d '1 hour ago' "$folder/commit.hpp"
before=$(stat -c %Y "$folder/commit.hpp")
expect "$(head)" false
[ "$(stat -c %Y "$folder/commit.hpp")" = "$before" ] || { echo "the header was written anew" && exit 1; }

echo two >"$folder/tree/a file"
expect "$(head)" true
git -C "$folder/tree" add . && commit
expect "$(head)" false
