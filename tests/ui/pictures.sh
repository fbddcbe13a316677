#!/usr/bin/env bash
# Pictures of the windows, to look at: of the start, of calls of 1 to 40, of panels, and of each fault that a
# person may meet, by the real program under X servers of its own.
#   pictures.sh PROGRAM FOLDER [SCENE...]      SCENE: a function below without scene_; all of them
#   SIZES="800x480@1 1280x800@1 2560x1440@2"   of the display, and the scale
# Needs Xvfb, xdotool, ImageMagick, PulseAudio, strace; of those of Wayland sway and grim. Each picture is FOLDER/SCENE-SIZE.png.
set -euo pipefail
program=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
shift 2
sizes=${SIZES:-800x480@1 1280x800@1 2560x1440@2}
source "$(dirname "${BASH_SOURCE[0]}")/../programs.sh"
cd "$work"
export LANGUAGE=en SDL_AUDIODRIVER=dummy

display() {
  local number=70
  while [[ -e /tmp/.X11-unix/X$number ]]; do number=$((number + 1)); done
  start xvfb Xvfb ":$number" -screen 0 "${size%@*}x24" -nolisten tcp
  export DISPLAY=:$number
  for ((i = 0; i < 100; ++i)); do xdotool getdisplaygeometry >/dev/null 2>&1 && return; sleep 0.1; done
}
broker() {
  start broker "$program" broker --listen 127.0.0.1:0 --insecure --local-admin
  said broker 'join with: qvid call '
  url=$(grep -o 'qvid://[0-9.:]*' "$work/broker" | head -1)/den
}
# member NAME OPTIONS...: somebody else.
member() {
  start "$1" "$program" call "$url" --insecure --name "$1" --headless --speaker none "${@:2}"
}
shown() { member "$1" --source "${2:-test}" --size 320x180 --rate 10 --microphone speech; }
heard() { member "$1" --no-camera --microphone "${2:-silence}"; }
# window OPTIONS...: one's own, as large as the display.
window() {
  start me "${before[@]}" "$program" --verbose call "$url" --insecure --name "$own_name" --scale "${size#*@}" \
    --size 640x360 "${devices[@]}" "$@"
  said me 'joined the room'
  fill 'Qvid - den'
}
fill() {
  local id
  id=$(xdotool search --sync --onlyvisible --name "$1" | head -1)
  xdotool windowmove "$id" 0 0 windowsize "$id" "$(xdotool getdisplaygeometry | cut -d' ' -f1)" \
    "$(xdotool getdisplaygeometry | cut -d' ' -f2)" windowfocus "$id"
  sleep 1
}
keys() { for key in "$@"; do xdotool key "$key"; sleep 0.3; done; }
text() { xdotool type --delay 30 "$1"; }
picture() {
  sleep "${1:-1}"
  import -window root "$folder/$scene-$size.png"
  echo "$folder/$scene-$size.png"
}

# compositor: sway, of Wayland, with a screen of that size and scale that nobody sees. It does not run as root.
compositor() {
  local as=()
  ((EUID != 0)) || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  mkdir -m 700 "$work/wayland"
  printf 'output HEADLESS-1 mode %s scale %s\ndefault_border none\n' "${size%@*}" "${size#*@}" >"$work/wayland/config"
  ((EUID != 0)) || chown -R 65534:65534 "$work/wayland"
  chmod 711 "$work"
  start sway "${as[@]}" env XDG_RUNTIME_DIR="$work/wayland" WLR_BACKENDS=headless WLR_RENDERER=pixman \
    WLR_LIBINPUT_NO_DEVICES=1 sway -c "$work/wayland/config"
  for ((i = 0; i < 100; ++i)); do [[ -S $work/wayland/wayland-1 ]] && return; sleep 0.1; done
}
of_wayland=(env -u DISPLAY WAYLAND_DISPLAY="$work/wayland/wayland-1" SDL_VIDEODRIVER=wayland)
picture_of_wayland() {
  sleep "$1"
  "${of_wayland[@]}" grim "$folder/$scene-$size.png"
  echo "$folder/$scene-$size.png"
}

scene_start() {
  start me "$program" start --scale "${size#*@}"
  fill Qvid
  picture
}
scene_settings() {
  start me "$program" start --scale "${size#*@}"
  fill Qvid
  keys Tab Tab Tab Tab space
  picture
}
scene_join() {
  broker
  start me "$program" start --scale "${size#*@}" "$url"
  fill Qvid
  picture 2
}
people_of() {  # a call of so many: every third without a picture
  broker
  local names=(Ann Bob Cid Dora Eve Fay Gus Hana Ivo Jana Kai Lea)
  for ((n = 1; n < $1; ++n)); do
    local name=${names[$(((n - 1) % 12))]}$((n > 12 ? n : 0))
    name=${name%0}
    if ((n % 3 == 0)); then heard "$name"; else shown "$name"; fi
  done
  window
  for ((n = 1; n < $1 && n < 9; ++n)); do said me 'first picture' || true; break; done
  picture "${2:-3}"
}
scene_call-1() { people_of 1; }
scene_call-2() { people_of 2; }
scene_call-5() { people_of 5; }
scene_call-12() { people_of 12 4; }
scene_call-40() { people_of 40 8; }
scene_scripts() {
  broker
  for name in 'علي حسن' 'José Zoë' 'नमस्ते' 'Ζωή Παπά' 'שלום כהן' 陈伟; do shown "$name"; done
  own_name='Łukasz Żółć'
  window
  said me 'first picture'
  picture 5
}
scene_toolbar() {
  broker
  shown Ann
  heard Bob
  start rec "$program" record "$url" Ann --insecure -o "$work/ann.mkv" --name Recorder
  window
  said me 'first picture'
  local width height
  read -r width height < <(xdotool getdisplaygeometry)
  xdotool mousemove $((width / 2)) $((height - 40 * ${size#*@}))
  picture
}
scene_share() {
  broker
  member Ann --source test --share test --size 640x360 --rate 5 --microphone silence
  shown Bob
  heard Cid
  window
  said me 'first picture of share 0'
  picture 2
}
scene_choose-share() {
  broker
  shown Ann
  window
  keys d
  picture
}
scene_chat() {
  broker
  start Ann bash -c '{ sleep 2; echo "Good morning"; echo "Is this all right? https://example.org/plan"; sleep 60; } |
    "$@"' chat "$program" call "$url" --insecure --name Ann --headless --source test --size 320x180 --chat
  heard Łukasz
  window
  keys t
  said me 'https://example.org/plan'
  text 'It is, thank you'
  picture
}
scene_people() {
  broker
  for name in Ann Bob Cid; do shown "$name"; done
  heard 陈伟
  window
  keys u r Down Down Down space
  picture
}
scene_statistics() {
  broker
  shown Ann
  window
  keys i
  picture 3
}
scene_more() {
  broker
  shown Ann
  window
  keys period
  picture
}
scene_record() {
  broker
  shown Ann
  window
  said me 'first picture'
  keys e
  picture 3
}
scene_devices() {
  broker
  shown Ann
  pulse
  before=(env SDL_AUDIODRIVER=pulseaudio PULSE_SERVER="unix:$work/pulse.socket")
  devices=(--source test)
  window
  keys o
  picture 3
}
scene_choose-part() {
  broker
  shown Ann
  window
  keys d
  sleep 2
  keys Down Return
  picture 2
}
scene_play() {
  start serve "$program" serve test --listen 127.0.0.1:0 --insecure
  said serve 'qvid play '
  start me "$program" play "$(grep -o 'qvid://[^ ]*' "$work/serve" | head -1)" --insecure --scale "${size#*@}"
  said me 'first picture'
  fill 'Qvid - '
  local width height
  read -r width height < <(xdotool getdisplaygeometry)
  xdotool mousemove $((width / 2)) $((height - 60 * ${size#*@}))
  picture
}
scene_help() {
  broker
  window
  keys h
  picture
}
# Faults. Of a camera: what the system answers is put in its place.
camera_that() {
  broker
  shown Ann
  before=(strace -f -qqq --seccomp-bpf -o /dev/null -P /dev/video0 -e trace=openat -e "inject=openat:error=$1")
  devices=(--source camera:/dev/video0 --microphone tone --speaker none)
  window
  picture 3
}
scene_fault-camera-busy() { camera_that EBUSY; }
scene_fault-camera-unplugged() { camera_that ENOENT; }
scene_fault-camera-forbidden() { camera_that EACCES; }
scene_fault-no-microphone() {
  broker
  shown Ann
  before=(env -u SDL_AUDIODRIVER)
  devices=(--source test)
  window
  picture 2
}
pulse() {
  start sound-server pulseaudio -n --daemonize=no --exit-idle-time=-1 --use-pid-file=no --disallow-exit \
    --disable-shm=yes --realtime=no --high-priority=no --log-target=stderr --log-level=info -L \
    "module-native-protocol-unix auth-anonymous=1 auth-cookie-enabled=0 socket=$work/pulse.socket" \
    -L 'module-null-sink sink_name=Loudspeaker' -L 'module-remap-source master=Loudspeaker.monitor source_name=Mic'
  said sound-server 'startup complete'
}
scene_fault-sound-server() {
  broker
  shown Ann
  pulse
  local server=${children[-1]}
  before=(env SDL_AUDIODRIVER=pulseaudio PULSE_SERVER="unix:$work/pulse.socket")
  devices=(--source test)
  window
  sleep 2
  kill "$server"
  picture 3
}
scene_fault-no-bus() {  # of a Wayland session: neither a bus nor a portal
  broker
  shown Ann
  before=(env XDG_SESSION_TYPE=wayland WAYLAND_DISPLAY=wayland-none SDL_VIDEODRIVER=x11)
  window
  keys d
  picture 2
}
scene_fault-no-fonts() {
  broker
  shown Łukasz
  heard Ελένη
  heard Юлия
  mkdir -p "$work/none"
  echo '<fontconfig></fontconfig>' >"$work/none/fonts.conf"
  before=(env FONTCONFIG_FILE="$work/none/fonts.conf")
  window
  picture 2
}
scene_fault-64-parties() {
  broker
  for ((n = 1; n < 64; ++n)); do heard "Party $n"; done
  window
  picture 8
}
scene_fault-names() {
  broker
  shown "$(printf 'W%.0s' {1..64})"
  shown "$(printf 'e'; printf '\xcc\x81%.0s' {1..31})"
  heard 'שלום עולם'
  window
  keys u
  picture 2
}
scene_fault-chat-flood() {
  broker
  start Ann bash -c 'while sleep 0.02; do echo "flood $RANDOM $RANDOM $RANDOM"; done | "$@"' chat \
    "$program" call "$url" --insecure --name Ann --headless --source test --size 320x180 --chat
  window
  keys t
  picture 5
}
scene_fault-settings() {
  mkdir -p "$XDG_CONFIG_HOME/qvid"
  printf 'name = "Me"\nlanguage = "e' >"$XDG_CONFIG_HOME/qvid/settings.toml"
  start me "$program" start --scale "${size#*@}"
  fill Qvid
  picture
  rm -r "$XDG_CONFIG_HOME/qvid"
}
scene_fault-broker-gone() {
  broker
  local server=${children[-1]}
  shown Ann
  window
  said me 'first picture'
  kill -KILL "$server"
  picture 3
}

scene_wayland-start() {
  compositor
  start me "${of_wayland[@]}" "$program" start
  picture_of_wayland 3
}
scene_wayland-call() {
  compositor
  broker
  for name in Ann Łukasz 陈伟; do shown "$name"; done
  heard 'שלום'
  start me "${of_wayland[@]}" "$program" --verbose call "$url" --insecure --name Me --size 640x360 "${devices[@]}"
  said me 'first picture'
  picture_of_wayland 5
}

(($#)) || mapfile -t scenes < <(declare -F | sed -n 's/^declare -f scene_//p')
(($#)) && scenes=("$@")
for scene in "${scenes[@]}"; do
  for size in $sizes; do
    before=(env)
    own_name=Me
    devices=(--source test --microphone tone --speaker none)
    display
    "scene_$scene" || echo "$scene-$size: failed" >&2
    end_children
    find "$work" -maxdepth 1 ! -type d -delete
    rm -rf "$work/wayland"
  done
done
