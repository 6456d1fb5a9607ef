#!/bin/sh
# test.sh HALFLING PLUGIN: the plugin's file is one that halfling takes, and a few iterations of the experiment train.
set -eu
halfling=$(realpath "$1")
plugin=$(realpath "$2")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$halfling" plugins check "$plugin"
"$halfling" run experiment.toml --plugin-path "$(dirname "$plugin")" --out "$work" --quiet --set budget.iterations=5
summary=$(find "$work" -name summary.json)
# shellcheck disable=SC2034 # not every kind of plugin leaves something there
trial=$(dirname "$summary")
grep -q '"status": "done"' "$summary"
grep -q '"iterations": 5\b' "$summary"
