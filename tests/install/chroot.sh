# A bare chroot of this system's release of Debian, for the tests that source this (as root). What is
# mounted and started is in namespaces of the test's own: it goes with the test, however that ends.
#
#   inside_namespaces "$@"     first line of a test: starts it again in them, as PID 1
#   new_root FOLDER            unpacks the base there and mounts what programs want
#   in_root SECONDS FOLDER COMMAND...     runs it there, no longer than that
#   own_network                makes a network that has a loopback and nothing else

PATH=$PATH:/usr/sbin:/sbin

say() { printf '==> %s\n' "$*" >&2; }
fail() {
  echo "FAILED: $*" >&2
  exit 1
}
skip() {
  echo "skipped: $*" >&2
  exit 77
}

# What is kept from one run to the next is in $1; what a run makes is in $work, and goes with it.
inside_namespaces() {
  cache=$1
  # shellcheck source=/dev/null
  . /etc/os-release
  if [[ ${QVID_CHROOT_WORK:-} ]]; then
    work=$QVID_CHROOT_WORK
    unset QVID_CHROOT_WORK
    trap 'exit 130' INT TERM HUP
    return
  fi
  ((EUID == 0)) || skip "a chroot wants root"
  command -v debootstrap >/dev/null || skip "there is no debootstrap"
  local namespaces=(unshare --mount --pid --fork --kill-child --mount-proc)
  "${namespaces[@]}" unshare --net true 2>/dev/null || skip "this system allows no namespaces"
  mkdir -p "$cache"
  cache=$(realpath "$cache")
  exec {lock}>"$cache/lock"
  flock --nonblock "$lock" || fail "another run has $cache"
  rm -rf --one-file-system "$cache"/run.*
  work=$(mktemp -d "$cache/run.XXXXXX")
  # Those inside hold the lock, too: it is free when the last of them has ended. And they end with us.
  QVID_CHROOT_WORK=$work setpriv --pdeathsig KILL "${namespaces[@]}" \
    env --default-signal=INT,QUIT "$0" "$cache" "${@:2}" &
  inside=$!
  trap 'trap "" INT TERM HUP; kill -KILL "$inside" 2>/dev/null; finish_outside; exit 130' INT TERM HUP
  local code=0
  wait "$inside" || code=$?
  finish_outside
  exit "$code"
}

finish_outside() {
  exec {lock}>&-
  flock --timeout 60 "$cache/lock" rm -rf --one-file-system "$work"
}

# Debian's own of what apt has here: MIRROR SUITE COMPONENT.
mirrors() {
  apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' "Architecture: $(dpkg --print-architecture)" |
    awk -v id="$ID" -v suite="$VERSION_CODENAME" \
      'tolower($1) == id && index($2, suite) == 1 { print $3, $4, $5 }' | sort -u
}

# The base as a tar, made anew each week.
make_base() {
  base=$cache/$VERSION_CODENAME.tar
  [[ -z $(find "$base" -mtime -7 2>/dev/null) ]] || return 0
  local mirror proxy=
  mirror=$(mirrors | awk -v suite="$VERSION_CODENAME" '$2 == suite { print $1; exit }')
  [[ $mirror ]] || skip "apt knows no mirror of $VERSION_CODENAME (apt-get update)"
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  [[ -z $proxy ]] || export http_proxy=$proxy
  say "a base of $VERSION_CODENAME from $mirror"
  rm -rf --one-file-system "$cache/archives" "$base"
  timeout --kill-after=10 900 debootstrap --variant=minbase "$VERSION_CODENAME" "$work/base" "$mirror" \
    >"$work/debootstrap.log" 2>&1 || fail "debootstrap: $(tail -5 "$work/debootstrap.log")"
  # It leaves them mounted.
  umount --recursive "$work/base/proc" "$work/base/sys" 2>/dev/null || true
  tar --one-file-system --numeric-owner -C "$work/base" -cf "$base.new" .
  mv "$base.new" "$base"
  rm -rf --one-file-system "$work/base"
}

new_root() {
  local root=$1 file
  make_base
  mkdir -p "$root" "$cache/archives/partial"
  tar --numeric-owner -C "$root" -xf "$base"
  mount -t proc proc "$root/proc"
  mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
  mount -t devpts -o ptmxmode=666 devpts "$root/dev/pts"
  mount --bind "$cache/archives" "$root/var/cache/apt/archives"
  # The network as here: names, mirrors, how apt reaches them.
  cp --dereference /etc/resolv.conf "$root/etc/"
  for file in /etc/hosts /etc/ssl/certs/ca-certificates.crt; do
    [[ ! -f $file ]] || install -D -m 644 "$file" "$root$file"
  done
  mirrors | sed 's/^/deb /' >"$root/etc/apt/sources.list"
  apt-config dump --no-empty | grep -E '^Acquire::(https?::|Check-|Max-ValidTime|Retries|ForceIPv)' |
    grep -v 'Detect' >"$root/etc/apt/apt.conf.d/90here" || true
  install -d -m 700 -o 1000 -g 1000 "$root/home/person"
  # A root that lives for minutes.
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
  in_root 120 "$root" apt-get update -q
}

# What it prints is told when it fails.
in_root() {
  local seconds=$1 root=$2 code=0
  shift 2
  timeout --kill-after=10 "$seconds" chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
    "$@" >"$root.log" 2>&1 </dev/null || code=$?
  ((code == 0)) || fail "$* ended with $code: $(tail -20 "$root.log")"
}

# Sets loopback, words to write before a command.
own_network() {
  [[ -z ${loopback:-} ]] || return 0
  unshare --net sleep infinity &
  network=/proc/$!/ns/net
  until_true other_network || fail "there is no network of its own"
  loopback=(nsenter --net="$network")
  "${loopback[@]}" ip link set lo up
}
other_network() { [[ $(readlink "$network") != "$(readlink /proc/self/ns/net)" ]]; }

# until_true COMMAND...: waits at most 20 s.
until_true() {
  for _ in {1..200}; do
    "$@" && return 0
    sleep 0.1
  done
  return 1
}
