#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything about backend cudnn that needs a GPU, in under six minutes: builds, compares with the reference op by op
# and over a training run, looks for wrong accesses, checks that a replayed iteration is the eager one bit for bit, and
# times iterations beside PyTorch. What fails does not stop the rest.
#
#   tests/cuda/on_gpu.sh [--build FOLDER] [--python PYTHON] [--out FOLDER] [PEER_SCRIPT]
#
# --build takes a folder that is built already; --python is one that has PyTorch, for the peer script. Results go to
# --out (default: gpu-results), one file a part.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build='' python=python3 out=gpu-results peer=''
die() {
  echo "on_gpu.sh: $*" >&2
  exit 2
}
while [[ $# -gt 0 ]]; do
  case $1 in
    --build | --python | --out)
      [[ $# -ge 2 ]] || die "$1 needs a value"
      declare "${1#--}=$2"
      shift 2
      ;;
    --help) sed -n '3,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) die "unknown option $1; see --help" ;;
    *) peer=$1; shift ;;
  esac
done
[[ -z $peer || -r $peer ]] || die "the peer script $peer cannot be read"
[[ -z $build || -x $build/core/cli/halfling ]] || die "$build is no build folder: it has no core/cli/halfling"
mkdir -p "$out"
rm -rf "$out"/memcheck "$out"/capture-* # of a run before this one
begin=$SECONDS
total=345 # seconds, of six minutes
failed=()

# part NAME LIMIT COMMAND...: runs a part for at most LIMIT seconds; its output goes to the terminal and to a file.
part() {
  local name=$1 limit=$2 left=$((total - (SECONDS - begin)))
  shift 2
  [[ $limit -le $left ]] || limit=$left
  if [[ $limit -lt 2 ]]; then
    echo "== $name: not run, the time is up"
    failed+=("$name")
    return
  fi
  echo "== $name"
  timeout "$limit" "$@" 2>&1 | tee "$out/$name.txt"
  local status=${PIPESTATUS[0]}
  [[ $status -eq 0 ]] || { echo "== $name: exit status $status"; failed+=("$name"); }
}

if [[ -z $build ]]; then
  build=$root/build
  part build 150 "$root/dev" build
fi
halfling=$build/core/cli/halfling

part devices 20 "$halfling" devices
if grep -q '^cudnn: no device' "$out/devices.txt" || ! grep -q '^cudnn ' "$out/devices.txt"; then
  die "backend cudnn finds no GPU here, so there is nothing to check"
fi
part conformance 60 "$build/tests/conformance/conformance" --backend cudnn
part trajectory 40 "$build/tests/conformance/trajectory" '--test-case=cudnn *'

small=("$root/tests/bench/acgan.toml" --set backend.use=cudnn --set input.batch_size=64 --set precision.use=mixed
  --set precision.half=fp16 --set loss_scaler.use=dynamic --set loss_scaler.initial=1024
  --set dataset.samples=512)
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
if [[ -x $sanitizer ]]; then
  part memcheck 60 "$sanitizer" --tool memcheck --error-exitcode 1 "$halfling" run "${small[@]}" \
    --set budget.iterations=4 --set backend.capture=false --out "$out/memcheck" --quiet
else
  echo "== memcheck: not run, there is no compute-sanitizer"
fi

replayed_is_eager() {
  local capture
  for capture in true false; do
    "$halfling" run "${small[@]}" --set budget.iterations=20 --set backend.capture=$capture \
      --out "$out/capture-$capture" --quiet || return 1
  done
  python3 "$root/tests/cuda/same_tensors.py" "$out"/capture-true/bench/*/checkpoints/20.safetensors \
    "$out"/capture-false/bench/*/checkpoints/20.safetensors
}
part capture 60 bash -c "$(declare -f replayed_is_eager); $(declare -p small root out halfling); replayed_is_eager"

part timing 400 python3 "$root/tests/cuda/timing.py" "$build" --seconds $((total - (SECONDS - begin) - 5)) \
  ${peer:+--peer "$peer"} --python "$python" --out "$out/timing.jsonl"

if [[ ${#failed[@]} -gt 0 ]]; then
  echo "on_gpu.sh: failed or not run: ${failed[*]}"
  exit 1
fi
echo "on_gpu.sh: everything ran and passed, in $((SECONDS - begin)) s"
