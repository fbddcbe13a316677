# Sourced by scripts that measure programs of their own: a folder `work`, which is also their home, and what
# ends with the script.
work=$(mktemp -d)
export HOME=$work XDG_RUNTIME_DIR=$work XDG_STATE_HOME=$work XDG_CONFIG_HOME=$work
unset WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS || true
children=()
finish() {
  for ((i = ${#children[@]} - 1; i >= 0; --i)); do
    kill "${children[i]}" 2>/dev/null || true
    wait "${children[i]}" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap finish EXIT
start() {  # LOG COMMAND...
  "${@:2}" >"$work/$1.out" 2>"$work/$1" &
  children+=($!)
}
said() {  # LOG TEXT
  for ((i = 0; i < 300; ++i)); do
    grep -qF -- "$2" "$work/$1" 2>/dev/null && return
    sleep 0.1
  done
  echo "'$2' was not said:" >&2
  tail -5 "$work/$1" >&2
  exit 1
}
