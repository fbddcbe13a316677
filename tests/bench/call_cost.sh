#!/usr/bin/env bash
# What a call of two takes of the processor in all: both programs with a window each, the processes that
# decode, the broker, on one machine without a graphics card.
#   call_cost.sh PROGRAM [WIDTHxHEIGHT [CODEC [SOURCE [MICROPHONE [SECONDS]]]]]
#     of the pictures and the windows: 1280x720; as --codec has it: auto; as --source has it: test, as
#     --microphone has it: speech; measured: 15 s
# Prints cores: of the first program, the second, what decodes for both, the broker and all together, which does not
# include the X servers'; the codec that is sent at the end, and pictures shown a second. Needs Xvfb.
set -euo pipefail
program=$(realpath "$1")
size=${2:-1280x720}
codec=${3:-auto}
source=${4:-test}
microphone=${5:-speech}
seconds=${6:-15}
source "$(dirname "${BASH_SOURCE[0]}")/../programs.sh"

start broker "$program" broker --listen 127.0.0.1:0 --insecure --local-admin
broker=${children[-1]}
said broker 'join with: qvid call '
url=$(grep -o 'qvid://[0-9.:]*' "$work/broker" | head -1)/den
number=80
parties=()
for name in Ann Bob; do
  while [[ -e /tmp/.X11-unix/X$number ]]; do number=$((number + 1)); done
  start "xvfb$name" Xvfb ":$number" -screen 0 "${size}x24" -nolisten tcp
  for ((i = 0; i < 100; ++i)); do [[ -e /tmp/.X11-unix/X$number ]] && break || sleep 0.1; done
  DISPLAY=:$number start $name "$program" call "$url" --name $name --scale 1 --source "$source" --loop --size "$size" \
    --rate 30 --codec "$codec" --microphone "$microphone" --speaker none --insecure --output-log "$work/shown$name"
  parties+=("${children[-1]}")
done
for name in Ann Bob; do said $name 'first picture of seat 0'; done
sleep 15  # rates have risen, and sizes settled

ticks_of() { awk '{print $14 + $15}' "/proc/$1/stat" 2>/dev/null || echo 0; }
ticks() {
  local decoders=0 t
  for t in $(pgrep -P "${parties[0]}") $(pgrep -P "${parties[1]}"); do decoders=$((decoders + $(ticks_of "$t"))); done
  echo "$(ticks_of "${parties[0]}") $(ticks_of "${parties[1]}") $decoders $(ticks_of "$broker") \
    $(cat "$work/shownAnn" "$work/shownBob" | grep -c ,picture)"
}
before=$(ticks)
sleep "$seconds"
after=$(ticks)
echo "$before $after" | awk -v s="$seconds" -v what="$size, $codec" '{
  f = 100 * s; a = ($6 - $1) / f; b = ($7 - $2) / f; d = ($8 - $3) / f; k = ($9 - $4) / f
  printf "%s: %.2f and %.2f cores, decoders %.2f, broker %.2f, in all %.2f; %.1f pictures a second each\n",
      what, a, b, d, k, a + b + d + k, ($10 - $5) / s / 2 }'
grep -h 'encoded as' "$work/Ann" "$work/Bob" | tail -4 || true
