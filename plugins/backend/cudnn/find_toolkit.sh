#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the path of nvcc and the toolkit's folder, a line each: of the toolkit in CUDA_HOME, else of the nvcc in PATH,
# else in the default place. Where there is none that can be used, prints why and fails.
least=12
if [ -n "$CUDA_HOME" ]; then
  nvcc=$CUDA_HOME/bin/nvcc
  case $CUDA_HOME in /*) ;; *) nvcc= ;; esac
  [ -x "$nvcc" ] || { echo "CUDA_HOME is $CUDA_HOME, and there is no bin/nvcc"; exit 1; }
else
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  [ -x "$nvcc" ] || { echo "nvcc is not found, neither by CUDA_HOME nor in PATH nor in /usr/local/cuda"; exit 1; }
fi
release=$("$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
if [ -z "$release" ] || [ "$release" -lt "$least" ]; then
  echo "$nvcc is of CUDA ${release:-no version that it tells}, $least or newer is needed"
  exit 1
fi
# nvcc knows where it belongs, also where it is called through a link or a wrapper.
root=$("$nvcc" --dryrun -x cu -E /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
root=$(cd "${root:-/nonexistent}" 2>/dev/null && pwd)
if [ ! -e "$root/include/cuda_runtime_api.h" ]; then
  echo "the toolkit of $nvcc has no include/cuda_runtime_api.h"
  exit 1
fi
printf '%s\n%s\n' "$nvcc" "$root"
