#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trains an experiment as a Slurm job array, one trial per task:
#
#   experiments/slurm-array.sh FILE [arguments of halfling run]
#
# submits itself with as many tasks as the experiment has trials. Arguments for sbatch stand in SBATCH_ARGUMENTS
# ("--gres=gpu:1 --time=30"), the program in HALFLING. A task that is started again continues its trial, and leaves a
# finished one as it is; two minutes before its time is up it writes a checkpoint and ends.
#SBATCH --job-name=halfling
#SBATCH --output=slurm-%A_%a.out
#SBATCH --signal=B:INT@120
#SBATCH --requeue
set -euo pipefail

halfling=${HALFLING:-halfling}
if [[ $# -eq 0 ]]; then
  echo "slurm-array.sh: which experiment? experiments/slurm-array.sh FILE [arguments of halfling run]" >&2
  exit 2
fi
if [[ -z ${SLURM_ARRAY_TASK_ID:-} ]]; then
  trials=$("$halfling" run "$@" --list-trials)
  count=$(($(wc -l <<<"$trials") - 1)) # less the heading
  # shellcheck disable=SC2086 # a list of words
  exec sbatch --array="1-$count" ${SBATCH_ARGUMENTS:-} "${BASH_SOURCE[0]}" "$@"
fi
exec "$halfling" run "$@" --trial "$SLURM_ARRAY_TASK_ID" --resume # the signal must reach it: no shell in between
