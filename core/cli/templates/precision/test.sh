
# Some contraction is stored in the half format, and some layer in single.
"$halfling" plan experiment.toml --plugin-path "$(dirname "$plugin")" >"$work/plan"
grep -Eq ' (bf16|f16) +f32$' "$work/plan"
grep -Eq ' f32 +f32$' "$work/plan"
