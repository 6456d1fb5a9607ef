// SPDX-License-Identifier: Apache-2.0
// The fixed parts of the completion scripts; the tables before them are generated.
#pragma once

namespace halfling::cli {

/// Prints what can stand at the last of the words given, one a line; runs in bash and in zsh.
inline constexpr const char* common_script = R"sh(
_halfling_candidates() {
  local command option='' position=1 kind key choice
  if [ $# -le 1 ]; then
    _halfling_commands
    return
  fi
  command=$1
  shift
  while [ $# -gt 1 ]; do
    if [ -n "$option" ]; then
      option=''
    elif [ "${1#-}" = "$1" ]; then
      position=$((position + 1))
    elif [ -n "$(_halfling_takes "$command $1")" ]; then
      option=$1
    fi
    shift
  done
  if [ -n "$option" ]; then
    kind=$(_halfling_takes "$command $option")
  elif [ "${1#-}" != "$1" ]; then
    kind=$(_halfling_options "$command")
  else
    kind=$(_halfling_takes "$command $position")
  fi
  case $kind in
    '<anything>') ;;
    '<keys>') _halfling_keys ;;
    '<plugins>') _halfling_plugins ;;
    '<settings>')
      key=${1%%=*}
      if [ "$key" = "$1" ]; then
        _halfling_keys | while read -r key; do printf '%s=\n' "$key"; done
      else
        _halfling_choices "$key" | while read -r choice; do printf '%s=%s\n' "$key" "$choice"; done
      fi ;;
    *) printf '%s\n' "$kind" ;;
  esac
}
)sh";

/// Takes the line apart itself: bash breaks words at "=".
inline constexpr const char* bash_script = R"sh(
_halfling() {
  local line=${COMP_LINE:0:COMP_POINT} words list current before IFS=$' \t\n'
  read -ra words <<<"$line"
  [[ $line != *[[:space:]] ]] || words+=('')
  current=${words[${#words[@]} - 1]}
  list=$(_halfling_candidates "${words[@]:1}")
  COMPREPLY=()
  case $list in
    '<files>') compopt -o default 2>/dev/null ;;
    '<folders>') compopt -o dirnames 2>/dev/null ;;
    *)
      IFS=$'\n'
      COMPREPLY=($(compgen -W "$list" -- "$current"))
      [[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null
      before=${current%"${current##*=}"}
      [[ $COMP_WORDBREAKS != *=* ]] || COMPREPLY=("${COMPREPLY[@]#"$before"}") ;;
  esac
}
complete -F _halfling halfling
)sh";

inline constexpr const char* zsh_script = R"sh(
_halfling() {
  local list=$(_halfling_candidates "${(@)words[2,CURRENT]}")
  local -a all=(${(f)list})
  case $list in
    '<files>') _files ;;
    '<folders>') _files -/ ;;
    *)
      compadd -S '' -- ${(M)all:#*=}
      compadd -- ${all:#*=} ;;
  esac
}
if [[ ${funcstack[1]} == _halfling ]]; then
  _halfling "$@"
elif (( $+functions[compdef] )); then
  compdef _halfling halfling
fi
)sh";

}  // namespace halfling::cli
