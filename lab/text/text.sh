#!/usr/bin/env bash
# Whether a shared page of text can be read over a narrow link: a page on a display is shared by
# `qvid serve screen`, played behind the link on another display, and read there 5 and 10 seconds after
# the player's window opened, as is the page itself. Said are the characters recognised, of those of the page without its spaces: one
# minus the edit distance over their number. Needs root, Xvfb, ffmpeg; without tesseract the pictures
# are left for eyes.
#
#     lab/text/text.sh [FOLDER]      FOLDER: for the pictures; build/lab/text
#
# Exit code: 0 each codec is at least as good as `least`, or tesseract is not installed; 1 one is not;
# 2 something failed, or the machine was too busy.
set -euo pipefail
# All is on displays of its own: no desktop of Wayland is asked for a screen, or shows a window.
unset WAYLAND_DISPLAY XDG_SESSION_TYPE SDL_VIDEODRIVER
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

link="rate=300kbit delay=15ms queue=100ms"
least=98.0 # percent
size=1280x720
seconds=(5 10)
folder=${1:-build/lab/text}
page=$PWD/lab/text/page.txt
lab=$PWD/build/release/lab/qvid-lab
qvid=$PWD/build/release/app/qvid

fail() {
  echo "lab text: $*" >&2
  exit 2
}

started=()
finish() {
  local pid
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait
}
trap finish EXIT

for tool in Xvfb ffmpeg ffplay; do
  command -v "$tool" >/dev/null || fail "$tool is missing: install xvfb and ffmpeg"
done
font=$(fc-match -f '%{file}' 'DejaVu Sans Mono')
[[ -f $font ]] || fail "no font DejaVu Sans Mono: install fonts-dejavu-core"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
read_text=1
command -v tesseract >/dev/null || {
  read_text=0
  echo "tesseract is not installed (tesseract-ocr): nothing is read, look at $folder" >&2
}

# An empty display; sets `display`.
open_display() {
  local told=$folder/display
  : >"$told"
  Xvfb -displayfd 3 -screen 0 "${size}x24" 3>"$told" >/dev/null 2>&1 &
  started+=($!)
  local try
  for try in {1..100}; do
    [[ -s $told ]] && break
    ((try < 100)) || fail "Xvfb does not start"
    sleep 0.1
  done
  display=:$(<"$told")
  rm "$told"
}

# DISPLAY PNG
photograph() {
  ffmpeg -v error -y -f x11grab -video_size "$size" -i "$1" -frames:v 1 "$2" </dev/null ||
    fail "no picture of display $1"
}

# PNG: percent of the page's characters.
recognised() {
  ffmpeg -v error -y -i "$1" -vf scale=iw*2:-1:flags=lanczos "${1%.png}.large.png" </dev/null
  tesseract "${1%.png}.large.png" "${1%.png}" --psm 6 >/dev/null 2>&1 || fail "tesseract failed on $1"
  rm "${1%.png}.large.png"
  awk -v a="$(tr -d '[:space:]' <"$page")" -v b="$(tr -d '[:space:]' <"${1%.png}.txt")" 'BEGIN {
    n = length(a); m = length(b)
    for (j = 1; j <= m; ++j) { other[j] = substr(b, j, 1); row[j] = j }
    for (i = 1; i <= n; ++i) {
      c = substr(a, i, 1); diagonal = i - 1; left = i
      for (j = 1; j <= m; ++j) {
        best = diagonal + (c != other[j])
        if (row[j] + 1 < best) best = row[j] + 1
        if (left + 1 < best) best = left + 1
        diagonal = row[j]; left = row[j] = best
      }
    }
    printf "%.1f", 100 * (1 - (m ? left : n) / n)
  }'
}

# Label, picture, the least percent.
report() {
  ((read_text)) || return 0
  local percent
  percent=$(recognised "$folder/$2.png")
  printf '%-20s %s %%\n' "$1" "$percent"
  awk -v p="$percent" -v l="$3" 'BEGIN { exit !(p < l) }' && code=1
  return 0
}

code=0
open_display
shared=$display
open_display
seen=$display
DISPLAY=$shared ffplay -v quiet -noborder -left 0 -top 0 -f lavfi \
  "color=white:size=$size:rate=5,drawtext=textfile=$page:fontfile=$font:expansion=none:fontsize=17:x=24:y=12:line_spacing=1" &
started+=($!)
photograph "$seen" "$folder/empty.png"
sleep 3
photograph "$shared" "$folder/page.png"

for codec in h264 av1; do
  echo "== $codec over $link" >&2
  "$lab" run --link "$link" --wait-port 4433 \
    --peer "env DISPLAY=$shared $qvid serve screen --codec $codec --microphone none --listen \$LAB_FAR:4433 --force-insecure" \
    -- env DISPLAY="$seen" "$qvid" play qvid://10.77.0.2:4433/live --force-insecure --speaker none \
    --fullscreen --duration 60 >"$folder/$codec.log" 2>&1 &
  player=$!
  started+=("$player")
  for try in {1..100}; do
    photograph "$seen" "$folder/now.png"
    cmp -s "$folder/now.png" "$folder/empty.png" || break
    ((try < 100)) || fail "$codec: the player opens no window, see $folder/$codec.log"
    sleep 0.1
  done
  before=0
  for at in "${seconds[@]}"; do
    sleep $((at - before))
    before=$at
    photograph "$seen" "$folder/$codec-$at.png"
  done
  kill -INT "$player" || fail "$codec: the player failed, see $folder/$codec.log"
  wait "$player" || true # by that signal
  ! grep -q 'encoding takes' "$folder/$codec.log" ||
    fail "$codec: this machine is too busy to encode, so the picture was made smaller: run it alone"
done
rm -f "$folder/now.png" "$folder/empty.png"

report "the page itself" page 95
for codec in h264 av1; do
  for at in "${seconds[@]}"; do report "$codec, after $at s" "$codec-$at" "$least"; done
done
exit "$code"
