
# The plugin wrote its table, with the names of its columns.
grep -q '^iteration,seconds,median,waited$' "$trial/slow.csv"
