
# Every class is found in the file that comes with it.
"$halfling" data experiment.toml --plugin-path "$(dirname "$plugin")" | tee "$work/data"
grep -q 'classes' "$work/data"
