# A call of a broker and two parties in a chroot, for the tests that source this after chroot.sh.
# All of them share a network of their own.

# run_as USER NAME ROOT COMMAND...: in the background, as that user there; its pid is $started, what it
# says is in $work/NAME.out and $work/NAME.err.
run_as() {
  local user=$1 name=$2 root=$3
  shift 3
  own_network
  "${loopback[@]}" timeout --foreground --kill-after=10 120 chroot --userspec="$user" "$root" env -i \
    PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 "$@" >"$work/$name.out" 2>"$work/$name.err" </dev/null &
  started=$!
}

# says NAME PATTERN: waits for it.
says() {
  until_true grep -sqE -- "$2" "$work/$1.err" || fail "$1 does not say '$2': $(tail -20 "$work/$1.err")"
}

# ends SIGNAL NAME PID: with 0.
ends() {
  local code=0
  kill -"$1" "$3"
  wait "$3" || code=$?
  ((code == 0)) || fail "$2 ended with $code: $(tail -20 "$work/$2.err")"
}

# a_call ROOT URL: of two, who see and hear each other, and go.
a_call() {
  local root=$1 url=$2 name ann bob
  for name in Ann Bob; do
    run_as 1000:1000 "$name" "$root" HOME=/home/person qvid call "$url" --name "$name" --headless --source test \
      --microphone tone
    [[ $name == Ann ]] && ann=$started || bob=$started
  done
  says Ann "first picture of .*'Bob'"
  says Bob "first picture of .*'Ann'"
  says Ann "sound of 'Bob'"
  ends INT Bob "$bob"
  says Ann 'Bob left'
  ends INT Ann "$ann"
  for name in Ann Bob; do
    says "$name" 'ended: stopped'
    grep -qE ' [1-9][0-9]* shown' "$work/$name.out" || fail "$name: $(cat "$work/$name.out")"
  done
}
