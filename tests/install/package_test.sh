#!/usr/bin/env bash
# The Debian packages have what they are for, and no file twice.
#   package_test.sh FOLDER
set -euo pipefail
folder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# has PACKAGE PATTERN...: paths below /usr.
has() {
  local package=$1 pattern files
  shift
  files=("$folder/$package"_*.deb)
  [[ ${#files[@]} == 1 && -f ${files[0]} ]] || fail "there is not one $package in $folder"
  dpkg-deb --contents "${files[0]}" | awk '$1 !~ /^d/ { print $6 }' | sort >"$work/$package"
  for pattern in "$@" share/doc/"$package"/copyright share/doc/"$package"/changelog.Debian.gz; do
    grep -qE "^\./usr/$pattern$" "$work/$package" || fail "$package has no $pattern"
  done
  # Of everybody to read, of root.
  ! dpkg-deb --contents "${files[0]}" | grep -vE '^[dl-]rwxr-xr-x root/root|^-rw-r--r-- root/root' ||
    fail "$package has these rights"
}
has qvid bin/qvid share/applications/qvid.desktop share/icons/hicolor/scalable/apps/qvid.svg \
  lib/systemd/system/qvid-broker.service share/doc/qvid/broker.toml \
  share/bash-completion/completions/qvid share/fish/vendor_completions.d/qvid.fish \
  share/zsh/vendor-completions/_qvid share/locale/{de,es}/LC_MESSAGES/qvid.mo \
  share/man/man1/qvid.1.gz share/man/man1/qvid-{call,start,play,serve,broker,check}.1.gz
has libpaceline-dev 'lib.*/libpaceline.a' 'lib.*/pkgconfig/paceline.pc' \
  'lib.*/cmake/Paceline/PacelineConfig.cmake' include/paceline/transport/session/session.h \
  include/paceline/base/units.h
has libpaceline-pubsub-dev 'lib.*/libpaceline-pubsub.a' 'lib.*/pkgconfig/paceline-pubsub.pc' \
  'lib.*/cmake/PacelinePubsub/PacelinePubsubConfig.cmake' \
  include/paceline/pubsub/client/room_client.h
twice=$(cat "$work"/* | sort | uniq -d)
[[ -z $twice ]] || fail "in two packages: $twice"
dpkg-deb --fsys-tarfile "$folder"/qvid_*.deb | tar -xO ./usr/bin/qvid >"$work/program"
grep -qa 'guest\.wasm' "$work/program" || fail "the program has no page for browsers"
dpkg-deb --field "$folder"/qvid_*.deb Depends | grep -q 'libsdl2-2.0-0' || fail "qvid does not say what it needs"
