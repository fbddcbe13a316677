#!/usr/bin/env bash
# What fish and zsh themselves offer by the installed completions, as far as these shells are here.
#   completion_test.sh FILE_FOR_FISH FOLDER_FOR_ZSH
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAILED: $*" >&2
  exit 1
}
cd "$work"
touch quite.png

# offers LINE WORD...: of fish, without what they do.
offers() {
  local line=$1 offered
  shift
  offered=$(HOME=$work fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$file" "$line" | cut -f1)
  [[ $offered == "$(printf '%s\n' "$@")" ]] || fail "$line: fish offers '$offered'"
}
file=$1
if command -v fish >/dev/null; then
  offers 'qvid rec' record
  offers 'qvid admin ki' kick
  offers 'qvid call --scr' --screenshot
  offers 'qvid call --codec a' auto av1
  offers 'qvid call --playout s' smooth
  offers 'qvid call --screenshot q' quite.png
fi

# In a terminal of its own; what it has made of a line after a Tab is shown by a key.
cat >in_zsh <<'ZSH'
zmodload zsh/zpty
zpty shell "TERM=vt100 zsh -f -i"
zpty -w shell "fpath=($1 \$fpath); autoload -U compinit; compinit -D -u
  show() { print -r -- \"<\$BUFFER>\" }; zle -N show; bindkey '^X' show; unset zle_bracketed_paste; echo REA''DY"
zpty -r shell out $'*READY\r*'
zpty -w -n shell "$2"$'\t\x18'
zpty -r shell out '*<*>*'
out=${out##*<}
print -r -- ${out%%>*}
zpty -d shell
ZSH
# becomes LINE LINE: of zsh.
becomes() {
  local line
  line=$(timeout 60 zsh -f in_zsh "$folder" "$1") || fail "$1: zsh does not say what it offers"
  [[ $line == "$2" ]] || fail "$1: zsh makes '$line' of it"
}
folder=$2
if command -v zsh >/dev/null; then
  becomes 'qvid rec' 'qvid record '
  becomes 'qvid admin ki' 'qvid admin kick '
  becomes 'qvid call --scr' 'qvid call --screenshot '
  becomes 'qvid call --codec av' 'qvid call --codec av1 '
  becomes 'qvid call --playout s' 'qvid call --playout smooth '
  becomes 'qvid call --screenshot q' 'qvid call --screenshot quite.png '
fi
