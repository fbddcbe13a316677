#!/usr/bin/env bash
# packaging/Containerfile, where no builder is: each of its instructions is done in a bare chroot, and a
# call goes on at the broker that its entry point starts. Knows the instructions that the file has, and
# fails for any other. The images are this release of Debian's base, whichever they name.
#   container_test.sh CACHE_FOLDER CONTAINERFILE PACKAGES_FOLDER [build]
# The stage 'build' makes what is in PACKAGES_FOLDER already; with `build` it is done, too.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/chroot.sh"
inside_namespaces "$@"
. "$here/chroot_call.sh"
context=$(realpath "$here/../..")
packages=$(realpath "$3")
build=${4:-}

stage='' root='' user=root
declare -a environment=() ports=() entry=() arguments=()

# words JSON: a list of texts, into words.
words() {
  [[ $1 =~ ^\[[^]\\]*\]$ ]] || fail "no list of plain texts: $1"
  mapfile -t words < <(grep -o '"[^"]*"' <<<"$1" | tr -d '"')
}

from() {
  local image=$1 as=${2:-} name=${3:-last}
  [[ $image =~ ^debian:[0-9]+(-slim)?$ ]] || fail "an image other than Debian's: $image"
  [[ -z $as || ${as^^} == AS ]] || fail "FROM $*"
  stage=$name user=root environment=() ports=() entry=() arguments=()
  root=$work/$stage
  if skipped; then
    say "FROM $*: has been done ($packages)"
    return
  fi
  say "FROM $*: here $PRETTY_NAME"
  new_root "$root"
  # As in Debian's images, slim ones are without these.
  [[ $image != *-slim ]] || printf '%s\n' path-exclude=/usr/share/{doc,man,info,locale}/\* \
    path-include=/usr/share/doc/\*/copyright >"$root/etc/dpkg/dpkg.cfg.d/docker"
}
skipped() { [[ $stage == build && $build != build ]]; }

copy() {
  local from=$context
  if [[ $1 == --from=build ]]; then
    from=$work/build
    [[ $build == build ]] || from=$packages
    shift
  fi
  (($# == 2)) && [[ $1 != -* ]] || fail "COPY $*"
  if [[ $from == "$context" ]]; then
    [[ $1 == . ]] || fail "COPY $*"
    mkdir -p "$root$2"
    sed 's|^|./|; s|/$||' "$context/.containerignore" >"$work/ignored"
    tar -C "$context" --exclude-from="$work/ignored" -c . | tar -C "$root$2" --no-same-owner -x
  else
    local source=$1
    [[ $build == build ]] || source=${1#/source/build/package}
    # shellcheck disable=SC2086  # a pattern
    cp -r "$from"/$source "$root$2"
  fi
}

# do_in SECONDS COMMAND...: with its variables.
do_in() {
  local seconds=$1
  shift
  in_root "$seconds" "$root" env -i --chdir=/ PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "${environment[@]}" "$@"
}

instruction() {
  local name=$1 rest=$2
  skipped && [[ $name != FROM ]] && {
    [[ $name == RUN || $name == COPY ]] || fail "'$name' in a stage that is not done here"
    return
  }
  [[ $name == FROM ]] || say "$name $rest"
  local -a words
  case $name in
    FROM) read -ra words <<<"$rest"; from "${words[@]}" ;;
    COPY) read -ra words <<<"$rest"; copy "${words[@]}" ;;
    RUN) [[ $user == root ]] || fail "RUN as $user"; do_in 7200 sh -c "$rest" ;;
    ENV) [[ $rest =~ ^[A-Z_]+=[^\ \"\']+$ ]] || fail "ENV $rest"; environment+=("$rest") ;;
    USER) user=$rest ;;
    EXPOSE) ports+=("$rest") ;;
    VOLUME) [[ -d $root$rest ]] || fail "there is no folder $rest" ;;
    STOPSIGNAL) stop=${rest#SIG} ;;
    ENTRYPOINT) words "$rest"; entry=("${words[@]}") ;;
    CMD) words "$rest"; arguments=("${words[@]}") ;;
    *) fail "an instruction that this test does not know: $name" ;;
  esac
}

stop=TERM line=''
while IFS= read -r part; do
  [[ $part =~ ^[[:space:]]*(#|$) ]] && continue
  line+=${part%\\}
  [[ $part == *\\ ]] && continue
  instruction "${line%% *}" "${line#* }"
  line=''
done <"$2"

say "its entry point, as $user, and a call there"
[[ $user != root ]] || fail "the broker runs as root"
((${#ports[@]} == 1)) || fail "ports: ${ports[*]}"
mkdir -p "$root/etc/qvid"
printf 'listen = "0.0.0.0:%s"\nopen = true\n' "${ports[0]}" >"$root/etc/qvid/broker.toml"
id=$(chroot "$root" id -u "$user"):$(chroot "$root" id -g "$user")
run_as "$id" broker "$root" "${environment[@]}" "${entry[@]}" "${arguments[@]}"
broker=$started
says broker 'join with'
key=$(grep -o '#sha256:.*' "$work/broker.err")
a_call "$root" "qvid://127.0.0.1:${ports[0]}/room$key"
ends "$stop" broker "$broker"
[[ $(chroot "$root" stat -c %U:%a /var/lib/qvid/qvid/identity/key.pem) == "$user:600" ]] ||
  fail "the broker's key is not kept, or not its own alone"
say "in a bare $VERSION_CODENAME the container's steps can be done, and its broker holds a call"
