# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Machines: each is an overlay over the bare Debian in $work/bare, with this machine's folder $ccache.
# shellcheck disable=SC2154 # both are the caller's

# new_machine NAME: a bare machine, which the functions below are about from then on.
new_machine() {
  local folder=$work/$1
  machine=$folder/root
  mkdir -p "$folder"/{upper,work,root}
  mount -t overlay overlay -o "lowerdir=$work/bare,upperdir=$folder/upper,workdir=$folder/work" "$machine"
  mount --bind /dev "$machine/dev"
  mount -t proc proc "$machine/proc"
  mkdir "$machine/ccache"
  mount --bind "$ccache" "$machine/ccache"
}

# on USER FOLDER COMMAND...: runs a command on the machine, with a terminal's signals and nothing of this one's environment
# but pip's settings and what the build is to be like. Users only read what was compiled before.
on() {
  local user=$1 folder=$2 home settings=()
  shift 2
  home=$([[ $user == root ]] && echo /root || echo "/home/$user")
  mapfile -t settings < <(env | grep -E '^(PIP_[A-Z_]*|https?_proxy|no_proxy|HALFLING_SETUP)=' | grep -v '^PIP_FIND_LINKS=')
  [[ $user == root ]] || settings+=(CCACHE_READONLY=1 CCACHE_TEMPDIR=/tmp/ccache)
  # shellcheck disable=SC2016 # for the shell on the machine
  timeout --foreground 1500 chroot --userspec="$user" "$machine" /usr/bin/env -i --default-signal HOME="$home" USER="$user" \
    LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin CCACHE_DIR=/ccache OMP_WAIT_POLICY=passive \
    "${settings[@]}" bash -c 'cd "$1" && shift && exec "$@"' - "$folder" "$@"
}

# small_disk SIZE FOLDER: a disk of its own for a folder of the machine; again: gives it another size.
small_disk() {
  mkdir -p "$machine$2"
  if mountpoint -q "$machine$2"; then
    mount -o "remount,size=$1" "$machine$2"
  else
    mount -t tmpfs -o "size=$1" tmpfs "$machine$2"
  fi
}
