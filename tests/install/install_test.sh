#!/usr/bin/env bash
# A program elsewhere can use what is installed: the examples are built against it with CMake and
# with pkg-config alone, and do what they say.
#   install_test.sh BUILD_FOLDER SOURCE_FOLDER C++_COMPILER
set -euo pipefail
build=$1 source=$2 compiler=$3

work=$(mktemp -d)
pids=()
finish() {
  # Only what was started here, and still runs.
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM
fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# until_in FILE PATTERN: waits at most 10 s.
until_in() {
  for _ in {1..100}; do
    grep -q -- "$2" "$1" 2>/dev/null && return 0
    sleep 0.1
  done
  fail "no '$2' in $(basename "$1"): $(cat "$1" 2>/dev/null)"
}

prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" --component library >"$work/install.log" ||
  fail "$(cat "$work/install.log")"
[[ ! -e $prefix/bin ]] || fail "the component 'library' installs programs"
[[ ! -e $prefix/include/paceline/pubsub ]] || fail "the component 'library' has pubsub's headers"
find "$prefix" -type f | sort >"$work/library.files"
cmake --install "$build" --prefix "$work/pubsub" --component pubsub >>"$work/install.log"
(cd "$work/pubsub" && find . -type f) | sed "s|^\.|$prefix|" | sort | comm -12 - "$work/library.files" >"$work/both"
[[ ! -s $work/both ]] || fail "library and pubsub have the same files: $(cat "$work/both")"
cmake --install "$build" --prefix "$prefix" --component pubsub >>"$work/install.log"
cmake --install "$build" --prefix "$prefix" --component program >>"$work/install.log"
"$prefix/bin/qvid" --version >/dev/null || fail "the installed qvid does not start"
unit=$prefix/lib/systemd/system/qvid-broker.service
grep -qF "ExecStart=$prefix/bin/qvid broker " "$unit" || fail "the unit does not start $prefix/bin/qvid"
[[ -f $prefix/share/doc/qvid/broker.toml ]] || fail "there is no broker.toml"
[[ -f $prefix/share/doc/qvid/monitoring/qvid.rules.yaml ]] || fail "there are no alerts"
for language in de es; do
  [[ -f $prefix/share/locale/$language/LC_MESSAGES/qvid.mo ]] || fail "there is no catalogue of '$language'"
done
page=$prefix/share/man/man1/qvid-call.1.gz
gzip -cd "$page" | grep -q '^\.TH QVID-CALL 1 ' || fail "there is no manual page of qvid call"
completion=$prefix/share/bash-completion/completions/qvid
# completed WORD...: what bash offers for the last one.
completed() {
  bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _qvid; echo "${COMPREPLY[*]}"' \
    "$completion" "$@"
}
[[ $(completed qvid rec) == record ]] || fail "qvid rec: bash offers '$(completed qvid rec)'"
[[ $(completed qvid admin ki) == kick ]] || fail "qvid admin ki: bash offers '$(completed qvid admin ki)'"
[[ $(completed qvid call --scr) == --screenshot ]] || fail "qvid call --scr: '$(completed qvid call --scr)'"
[[ $(completed qvid call --codec a) == "av1 auto" ]] || fail "--codec a: '$(completed qvid call --codec a)'"
[[ $(completed qvid call --playout s) == smooth ]] || fail "--playout s: '$(completed qvid call --playout s)'"
[[ -z $(completed qvid call --screenshot q) ]] || fail "a file's place is not left to bash"
"$source/tests/install/completion_test.sh" "$prefix/share/fish/vendor_completions.d/qvid.fish" \
  "$prefix/share/zsh/site-functions"
entry=$prefix/share/applications/qvid.desktop
grep -qxF "Exec=$prefix/bin/qvid start %u" "$entry" || fail "the desktop entry does not start $prefix/bin/qvid"
grep -q '^MimeType=x-scheme-handler/qvid;$' "$entry" || fail "qvid:// links do not open qvid"
[[ -f $prefix/share/icons/hicolor/scalable/apps/$(sed -n 's/^Icon=//p' "$entry").svg ]] || fail "there is no icon"
if command -v desktop-file-validate >/dev/null; then
  desktop-file-validate "$entry" >"$work/entry.log" || fail "$(cat "$work/entry.log")"
fi
if command -v systemd-analyze >/dev/null; then
  systemd-analyze verify "$unit" 2>"$work/unit.log" || fail "$(cat "$work/unit.log")"
  # An exposure of at most 2.0 of 10.
  systemd-analyze security --offline=true --threshold=20 "$unit" >"$work/exposure.log" 2>&1 ||
    fail "the unit leaves too much open: $(grep exposure "$work/exposure.log")"
  grep -q '^StartLimitIntervalSec=0' "$unit" || fail "five crashes would keep the broker down"
fi
[[ -f $prefix/include/paceline/transport/session/session.h ]] || fail "session.h is not where it belongs"
if [[ -e $prefix/include/paceline/app ]] || grep -rqF "$source" "$prefix/lib"*/cmake \
    "$prefix/lib"*/pkgconfig "$prefix"/lib/*/cmake "$prefix"/lib/*/pkgconfig 2>/dev/null; then
  fail "the package refers to the source folder"
fi

# Moved, so that nothing can depend on where it was installed.
mv "$prefix" "$work/moved"
prefix=$work/moved

cmake -G Ninja -S "$source/examples" -B "$work/examples" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug >"$work/cmake.log" 2>&1 ||
  fail "$(cat "$work/cmake.log")"
cmake --build "$work/examples" >"$work/build.log" 2>&1 || fail "$(cat "$work/build.log")"

# One more time without CMake: what pkg-config says finds the headers, compiles them as the library
# was, and links what CMake compiled.
without_cmake() {
  local package=$1 example=$2 flags
  read -ra flags < <(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs "$package")
  [[ " ${flags[*]} " == *" -DBOOST_ASIO_SEPARATE_COMPILATION "* ]] || fail "$package: ${flags[*]}"
  "$compiler" -std=c++20 -E "$source/examples/$example.cc" -o /dev/null "${flags[@]}" ||
    fail "$example with ${flags[*]}"
  "$compiler" "$work/examples/CMakeFiles/$example.dir/$example.cc.o" -o "$work/$example" \
    "${flags[@]}" || fail "$example with ${flags[*]}"
}
pc=$(find "$prefix" -name paceline.pc)
without_cmake paceline newest_first
without_cmake paceline-pubsub cursors
[[ -x $work/examples/cursors ]] || fail "cursors were not built with CMake"
code=0
"$work/cursors" 2>"$work/cursors.err" || code=$?
[[ $code == 2 ]] && grep -q '^cursors HOST' "$work/cursors.err" || fail "cursors: $(cat "$work/cursors.err")"

timeout 60 "$work/newest_first" >"$work/newest.out" || fail "newest_first: $(cat "$work/newest.out")"
grep -qx 'key pictures: 16 delivered, 0 cancelled' "$work/newest.out" || fail "$(cat "$work/newest.out")"
grep -qE '^others: [1-9][0-9]* delivered, [1-9][0-9]* cancelled$' "$work/newest.out" ||
  fail "$(cat "$work/newest.out")"

# A chat: the host's fingerprint, a line each way, and the end.
cd "$work"
mkfifo host.in guest.in
timeout 60 examples/chat host 127.0.0.1:0 <host.in >host.out 2>host.err &
pids+=($!)
exec 3>host.in
until_in host.err '^chat '
read -r _ address fingerprint < <(grep '^chat ' host.err)

# Who takes another server's fingerprint for it sends nothing.
other=A
[[ ${fingerprint:7:1} == A ]] && other=B
echo 'for another' | timeout 20 examples/chat "$address" "sha256:$other${fingerprint:8}" \
  >other.out 2>other.err || fail "$(cat other.err)"
grep -q '^ended: ' other.err || fail "another server was taken for it"

timeout 60 examples/chat "$address" "$fingerprint" <guest.in >guest.out 2>guest.err &
guest=$!
pids+=($guest)
exec 4>guest.in
echo 'hello from the guest' >&4
until_in host.out '^hello from the guest$'
echo '!and from the host' >&3
until_in guest.out '^!and from the host$'
exec 4>&-
until_in host.err 'the other has left'
wait "$guest" || fail "the guest ended with $?: $(cat guest.err)"
wait "${pids[0]}" || fail "the host ended with $?: $(cat host.err)"
! grep -q 'for another' host.out || fail "a line reached a server that is not trusted"
echo "installed, built with CMake and pkg-config, and run: $(tr '\n' ';' <newest.out)"
