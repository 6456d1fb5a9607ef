
# The scale that it began with stands in the metrics.
grep -q '65536' "$trial/metrics.jsonl"
