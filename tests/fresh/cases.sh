# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The cases; `run` starts it in namespaces of its own. Refusals come before what must work, on the same machine: so
# that works in spite of what they left.
set -uo pipefail
work=$1 ccache=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/fresh/machine.sh
source "$here/machine.sh"

passed=0 failed=0
log=$work/log

# verdict NAME PROBLEM: counts a case; its problem is empty where it passed.
verdict() {
  if [[ -z $2 ]]; then
    ((++passed))
    echo "ok      $1 ($((SECONDS - begin)) s)"
  else
    ((++failed))
    echo "FAILED  $1: $2; the end of its output:"
    tail -n 30 "$log" | sed 's/^/        /'
  fi
  begin=$SECONDS
}
begin=0

# refuses NAME PATTERN COMMAND...: it ends with a status other than 0, and its last line, which is dev's, matches.
refuses() {
  local name=$1 pattern=$2 status=0 last problem=''
  shift 2
  "$@" >"$log" 2>&1 || status=$?
  last=$(tail -n 1 "$log")
  [[ $status -ne 0 ]] || problem="its status is 0"
  [[ $last =~ ^dev:\ .*$pattern ]] || problem="its last line does not match \"$pattern\""
  verdict "$name" "$problem"
  [[ -n $problem ]] || echo "        $last"
}

# works NAME PATTERN COMMAND...: it ends with the status 0, and its output matches.
works() {
  local name=$1 pattern=$2 status=0 problem=''
  shift 2
  "$@" >"$log" 2>&1 || status=$?
  grep -qE -- "$pattern" "$log" || problem="its output does not match \"$pattern\""
  [[ $status -eq 0 ]] || problem="its status is $status"
  verdict "$name" "$problem"
}

# interrupted NAME CONDITION COMMAND...: Ctrl-C once the condition, a shell command, holds, for at most ten minutes.
interrupted() {
  local name=$1 condition=$2 status=0 problem='' job tries=0
  shift 2
  set -m # a process group of its own, which takes interrupts
  "$@" >"$log" 2>&1 &
  job=$!
  set +m
  until eval "$condition"; do
    sleep 0.1
    ((++tries < 6000)) || { problem="it never came so far"; break; }
    kill -0 "$job" 2>/dev/null || { problem="it ended too early"; break; }
  done
  kill -INT -- "-$job" 2>/dev/null
  wait "$job" || status=$?
  [[ -n $problem || $status -eq 130 ]] || problem="its status is $status"
  verdict "$name" "$problem"
}

said() { grep -q -- "$1" "$log"; }
unpacked() { [[ $(grep -cs ' status unpacked ' "$machine/var/log/dpkg.log") -ge 40 ]]; }

run=(./dev run experiments/quickstart.toml --set budget.time=10s)
nowhere=http://127.0.0.1:9/simple # answers at once that nobody is there

as_root() {
  local at=/root/halfling archives=/var/cache/apt/archives python left
  new_machine root
  cp -a "$machine/opt/halfling" "$machine$at"
  refuses "no network for apt" "apt-get could not install packages: E: .*update had failed: E: Failed to fetch .*needed are: .*meson" \
    on root $at unshare -n "${run[@]}"
  small_disk 30M $archives
  refuses "a full disk for apt" "apt-get could not install packages: E: .*free space .*only [0-9]+ MiB are free" \
    on root $at "${run[@]}"
  umount "$machine$archives"
  interrupted "Ctrl-C while packages are unpacked" unpacked on root $at "${run[@]}"
  PIP_INDEX_URL=$nowhere PIP_RETRIES=0 refuses "packages, but no PyPI" "pip could not install oneDNN from PyPI" \
    on root $at "${run[@]}"

  python=$(find "$machine"/usr/lib/python3* -maxdepth 1 -name ensurepip)
  mount --bind "$work/lower" "$python"
  refuses "no venv" "could not make a virtual environment .*python3-venv" on root $at "${run[@]}"
  umount "$python"
  small_disk 60M $at/build
  refuses "a full disk for oneDNN" "pip could not install oneDNN .*only [0-9]+ MiB are free" on root $at "${run[@]}"
  small_disk 4G $at/build
  interrupted "Ctrl-C while oneDNN is installed" "said 'installing oneDNN' && sleep 3" on root $at "${run[@]}"
  interrupted "Ctrl-C while it is configured" "said 'Run-time dependency'" on root $at "${run[@]}"
  small_disk $(($(du -sm "$machine$at/build" | cut -f1) + 8))M $at/build
  refuses "a full disk for the build" "the build failed .*only [0-9]+ MiB are free" on root $at "${run[@]}"
  small_disk 4G $at/build
  interrupted "Ctrl-C while it is compiled" "said '^\[[1-9]'" on root $at "${run[@]}" # at once: ccache makes it short

  works "after all that, the quickstart" "precision.use=mixed .* done" on root $at "${run[@]}"
  works "the unit tests" "^[0-9]+ passed, 0 failed, " on root $at ./dev test --suite unit
  works "./dev install" "installed /root/.local/bin/halfling" on root $at ./dev install
  mv "$machine/root/.local" "$machine/root/elsewhere"
  works "an installation that was moved" "^backend *cpu " on root / /root/elsewhere/bin/halfling plugins
  HALFLING_SETUP=-Dcpu_backend=disabled works "a backend that was there and is left out is gone" "configuring" \
    on root $at sh -c '! ./dev plugins | grep "^backend *cpu "'
  left=$(find "$machine$at/build" -maxdepth 1 -name 'onednn.*')
  verdict "nothing half-made is left" "${left:+there is $left}"
  umount "$machine$at/build"
}

as_user() {
  local at='/home/maker/my halfling'
  new_machine user
  chroot "$machine" useradd --create-home maker
  cp -a "$machine/opt/halfling" "$machine$at"
  chroot "$machine" chown -R maker "$at"
  refuses "no sudo" "there is no sudo; as root, run: apt-get update && apt-get install .*meson" on maker "$at" "${run[@]}"
  works "installing sudo" "" on root / sh -c 'apt-get -qq update && apt-get -qq install -y --no-install-recommends sudo'
  refuses "a user whom sudo refuses" "sudo refuses .*as root, run: apt-get" on maker "$at" "${run[@]}"
  echo "maker ALL=(ALL) NOPASSWD: ALL" >"$machine/etc/sudoers.d/maker"
  works "with sudo, in a folder with a space, the quickstart" "precision.use=mixed .* done" on maker "$at" "${run[@]}"
  mv "$machine$at" "$machine/home/maker/elsewhere"
  works "a tree that was moved, the unit tests" "^[0-9]+ passed, 0 failed, " \
    on maker /home/maker/elsewhere ./dev test --suite unit
}

[[ $# -gt 0 ]] || set -- root user
for user; do "as_$user"; done
echo "$passed passed, $failed failed, 0 skipped"
[[ $failed -eq 0 ]]
