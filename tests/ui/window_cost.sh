#!/usr/bin/env bash
# What the window of a call of five takes of the processor, where there is no graphics card: four others, each
# 640x360 at 30 pictures a second, under an X server of its own.
#   window_cost.sh PROGRAM [WIDTHxHEIGHT [SECONDS [MICROPHONE]]]
#     of the window: 1280x720; measured: 12 s; of each of the others: none, or speech, as --microphone has it
# Prints the share of a core, in percent, of the window's thread, of the program's other threads and of the
# processes that decode, and how many of the others' 120 pictures a second were shown: of fewer a window costs
# less. It moves by a fifth from run to run with the times at which the others' pictures
# come; to compare two programs run them in turn. Needs Xvfb and xdotool.
set -euo pipefail
program=$(realpath "$1")
size=${2:-1280x720}
seconds=${3:-12}
microphone=${4:-none}
source "$(dirname "${BASH_SOURCE[0]}")/../programs.sh"

number=70
while [[ -e /tmp/.X11-unix/X$number ]]; do number=$((number + 1)); done
start xvfb Xvfb ":$number" -screen 0 1920x1080x24 -nolisten tcp
start broker "$program" broker --listen 127.0.0.1:0 --insecure --local-admin
said broker 'join with: qvid call '
url=$(grep -o 'qvid://[0-9.:]*' "$work/broker" | head -1)/den
for name in Ann Bob Cid Eve; do
  start $name "$program" publish test "$url" --name $name --size 640x360 --rate 30 --microphone "$microphone" --insecure
done
export DISPLAY=:$number
start me "$program" call "$url" --name Me --scale 1 --source test --size 640x360 --rate 30 --microphone none \
  --speaker none --insecure --output-log "$work/shown"
me=${children[-1]}
for ((seat = 0; seat < 4; ++seat)); do said me "first picture of seat $seat"; done
xdotool search --sync --onlyvisible --name 'Qvid - den' windowsize "${size%x*}" "${size#*x}"
sleep 15  # the others send what is shown (media/live/needed_scale.h)

# Ticks of 10 ms: of the first thread, of the others, of the decoders.
ticks() {
  local main=0 others=0 decoders=0 t
  main=$(awk '{print $14 + $15}' "/proc/$me/task/$me/stat")
  for t in /proc/"$me"/task/*; do
    [[ ${t##*/} == "$me" ]] || others=$((others + $(awk '{print $14 + $15}' "$t/stat")))
  done
  for t in $(pgrep -P "$me"); do decoders=$((decoders + $(awk '{print $14 + $15}' "/proc/$t/stat"))); done
  echo "$main $others $decoders $(grep -c ,picture, "$work/shown")"
}
before=$(ticks)
sleep "$seconds"
after=$(ticks)
echo "$before $after" | awk -v s="$seconds" -v size="$size" '{
  printf "%s: window %.1f %%, other threads %.1f %%, decoders %.1f %%; %.0f pictures a second\n",
      size, ($5 - $1) / s, ($6 - $2) / s, ($7 - $3) / s, ($8 - $4) / s }'
