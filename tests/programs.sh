# Sourced by scripts that look at programs of their own: a folder `work`, which is also their home, and
# children, which end with the script.
work=$(mktemp -d)
export HOME=$work XDG_RUNTIME_DIR=$work XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
unset WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS PULSE_SERVER || true
children=()
# The latest first: a window before its display.
end_children() {
  for ((i = ${#children[@]} - 1; i >= 0; --i)); do
    kill "${children[i]}" 2>/dev/null || true
    for ((t = 0; t < 50; ++t)); do kill -0 "${children[i]}" 2>/dev/null || break; sleep 0.1; done
    kill -KILL "${children[i]}" 2>/dev/null || true
    wait "${children[i]}" 2>/dev/null || true
  done
  children=()
}
finish() {
  end_children
  rm -rf "$work"
}
trap finish EXIT INT TERM

# start LOG COMMAND...: runs it until the children end.
start() {
  local log=$work/$1
  shift
  "$@" >"$log.out" 2>"$log" &
  children+=($!)
}
# said LOG TEXT: waits for it, 30 s at most. Where there is a `scene`, what is wrong is told of it.
said() {
  for ((i = 0; i < 300; ++i)); do
    grep -qF -- "$2" "$work/$1" 2>/dev/null && return
    sleep 0.1
  done
  echo "${scene:+$scene: }'$2' was not said:" >&2
  tail -5 "$work/$1" >&2
  return 1
}
