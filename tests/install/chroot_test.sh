#!/usr/bin/env bash
# The Debian packages in a bare chroot: they install with what they say they need, a call goes on in
# it, and when they are purged nothing is left. Wants root and debootstrap; else it says what is
# missing, and ends with 77.
#   chroot_test.sh CACHE_FOLDER PACKAGES_FOLDER
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/chroot.sh"
inside_namespaces "$@"
. "$here/chroot_call.sh"
packages=(qvid libpaceline-dev libpaceline-pubsub-dev)
root=$work/root

# files NAME: what there is, but for folders and for what apt, dpkg, caches and people keep.
files() {
  (cd "$root" && find . -xdev \( -path ./dev -o -path ./proc -o -path ./home -o -path ./tmp -o -path ./var/log \
    -o -path ./var/cache -o -path ./var/lib/apt -o -path ./var/lib/dpkg \) -prune -o ! -type d -printf '%P\n') |
    sort >"$work/$1"
}
# without_ours NAME OTHER WHAT: NAME has what OTHER has, and what is of the packages.
without_ours() {
  comm -23 "$work/$1" "$work/ours" | diff - "$work/$2" >"$work/diff" || fail "$3: $(head -20 "$work/diff")"
}

say "a bare chroot"
new_root "$root"
for package in "${packages[@]}"; do
  found=("$2/$package"_*.deb)
  [[ ${#found[@]} == 1 && -f ${found[0]} ]] || fail "there is not one $package in $2"
  cp "${found[0]}" "$root/tmp/"
done

say "installing what they need, then them"
in_root 120 "$root" sh -c 'apt-get install --no-install-recommends --simulate /tmp/*.deb >/tmp/plan'
mapfile -t others < <(awk '$1 == "Inst" { print $2 }' "$root/tmp/plan" | grep -vxF "$(printf '%s\n' "${packages[@]}")")
in_root 900 "$root" apt-get install -y -q --no-install-recommends "${others[@]}"
files before
in_root 120 "$root" sh -c 'apt-get install -y -q --no-install-recommends /tmp/*.deb'
files installed
in_root 10 "$root" dpkg --listfiles "${packages[@]}"
sed -n 's|^/\(.\)|\1|p' "$root.log" | sort -u >"$work/ours"
without_ours installed before "installing makes other files than those of the packages"

say "a call of two at a broker"
run_as 1000:1000 broker "$root" HOME=/home/person qvid broker --listen 127.0.0.1:7400
broker=$started
says broker 'join with'
a_call "$root" "$(grep -o 'qvid://[^ ]*' "$work/broker.err")"
ends TERM broker "$broker"

say "qvid alone, its manual, completion and desktop entry"
in_root 10 "$root" qvid --version
grep -qxF "$(dpkg-deb --field "${found[0]}" Version | sed 's/-.*//')" "$root.log" || fail "its version: $(cat "$root.log")"
code=0
run_as 1000:1000 alone "$root" HOME=/home/person qvid
wait "$started" || code=$?
((code == 2)) || fail "qvid alone, without a display, ends with $code: $(cat "$work/alone.err")"
in_root 300 "$root" apt-get install -y -q --no-install-recommends man-db bash-completion fish zsh desktop-file-utils
files with_tools
for page in qvid qvid-call qvid-broker; do
  in_root 20 "$root" env MANPAGER=cat man "$page"
  grep -qE '^ +(qvid|usage)' "$root.log" || fail "man $page: $(cat "$root.log")"
done
in_root 10 "$root" bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader qvid; complete -p qvid
  COMP_WORDS=(qvid rec) COMP_CWORD=1; _qvid; echo "offers ${COMPREPLY[*]}"'
grep -qx 'offers record' "$root.log" || fail "bash's completion: $(cat "$root.log")"
in_root 20 "$root" fish -c 'complete -C "qvid rec"'
grep -q '^record' "$root.log" || fail "fish's completion: $(cat "$root.log")"
in_root 20 "$root" zsh -fc 'autoload -U compinit; compinit -D; echo $_comps[qvid]'
grep -qx _qvid "$root.log" || fail "zsh's completion: $(cat "$root.log")"
in_root 10 "$root" desktop-file-validate /usr/share/applications/qvid.desktop
grep -q '^x-scheme-handler/qvid=qvid.desktop;' "$root/usr/share/applications/mimeinfo.cache" ||
  fail "the desktop does not know who opens qvid://"

say "purging them"
in_root 120 "$root" apt-get purge -y -q "${packages[@]}"
files purged
without_ours with_tools purged "purging leaves something (>), or takes what is of others (<)"
in_root 10 "$root" sh -c '! dpkg-query --show "$@"' sh "${packages[@]}"
find "$root" -xdev -path "$root/tmp" -prune -o -path "$root/home" -prune -o -path "$root/var/log" -prune -o \
  -path "$root/var/cache/man/cat1" -prune -o \( -iname '*qvid*' -o -iname '*paceline*' \) -print >"$work/left"
grep -rIlE --exclude-dir=lists 'qvid|paceline' "$root/etc" "$root/var/lib" "$root/usr/share/applications" >>"$work/left" || true
[[ ! -s $work/left ]] || fail "what tells of them after purging: $(cat "$work/left")"
say "in a bare $VERSION_CODENAME the packages install, hold a call, and go without a trace"
