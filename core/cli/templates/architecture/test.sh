
# A grid of generated images was drawn before the first iteration, and one at the end.
test "$(find "$trial/samples" -name '*.png' | wc -l)" -ge 2
