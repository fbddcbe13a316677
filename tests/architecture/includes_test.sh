#!/usr/bin/env bash
# The dependency drawing of docs/architecture.md, checked: which folder includes which, and which
# folder alone includes a foreign library.
set -euo pipefail
cd "$1"
status=0

# included FOLDER PATTERN "names": the includes of a folder's files that begin with PATTERN, without
# those whose next name is one of them.
included() {
  local names=${3// /|}
  grep -rnE "#include \"$2" "$1" --include='*.h' --include='*.cc' |
    grep -vE "#include \"$2(${names//||/|})[/\"]" || true
}

# refuse WHO: what is left on the input must not be.
refuse() {
  local line
  while IFS= read -r line; do
    echo "$1 must not include this: $line"
    status=1
  done
}

# allowed FOLDER "folders it may include"
allowed() {
  [[ -d $1 ]] || return 0
  refuse "$1" < <(included "$1" "" "$1 base${2:+ $2}" | grep -E '"[a-z]+/' || true)
}
allowed base ""
allowed transport ""
allowed media ""
allowed pubsub "transport"
allowed ui "media"
allowed app "ui media pubsub transport"
allowed lab "transport media pubsub"
allowed web "app media pubsub transport"
# Of app what has no window, thread or log.
refuse web < <(included web app/ "protocol room reception" || true)

# room FOLDER/ROOM "rooms of the same folder that it may include"; all rooms of a folder are named.
known=" "
room() {
  known+="$1 "
  refuse "$1" < <(included "$1" "${1%/*}/" "${1#*/}${2:+ $2}")
}
room transport/wire ""
room transport/control "wire"
room transport/datagram "wire control"
room transport/send "wire control datagram"
room transport/receive "wire"
room transport/rate "wire"
room transport/socket "wire control"
room transport/proxy "socket"
room transport/tls "socket proxy"
room transport/session "wire control datagram send receive socket proxy tls"

room media/picture ""
room media/unit ""
room media/sound ""
room media/codec "picture unit"
room media/source "picture sound"
room media/live "picture unit codec source"
room media/playout "picture unit codec sound"
room media/stored "picture unit codec source playout sound"
room media/recording "picture unit codec playout sound"

room pubsub/wire ""
room pubsub/criteria "wire"
room pubsub/broker "wire criteria"
room pubsub/cluster "wire broker"
room pubsub/server "broker wire"
room pubsub/nats "cluster server"
room pubsub/token "broker wire"
room pubsub/client "wire"

room ui/text ""
room ui/window "text"
room ui/po ""
room ui/player "window text"
room ui/call "window text"
room ui/start "window text"
room ui/sound ""
room ui/shortcut "text"

room app/log ""  # log.h is for all
room app/web ""
room app/options "log"
room app/settings "log options reception"
room app/start "log options settings"
room app/protocol "log options"
room app/feed "log"
room app/reception "log"
room app/serve "log options protocol feed web"
room app/play "log options protocol reception"
room app/room "log options protocol feed reception"
room app/broker "log options web"
room app/mon ""
room app/pages "options"
room app/command "options log protocol feed reception serve play room broker mon pages settings start web"

for entry in transport/* media/* pubsub/* ui/* app/*; do
  [[ ${entry##*/} == CMakeLists.txt || $known == *" $entry "* ]] && continue
  echo "$entry is in no room that this test knows"
  status=1
done

# The windows' colours are in one place, and of each it is said where text has it or lies on it.
if grep -rnE 'IM_COL32\(|IM_COL32_(WHITE|BLACK)|ImVec4 [a-zA-Z]+[{(]' ui --include='*.h' --include='*.cc' | grep -v '^ui/window/colors.h:'; then
  echo "the colours above are not in ui/window/colors.h"
  status=1
fi
while read -r color; do
  grep -qw "$color" ui/window/text_pairs.h && continue
  echo "ui/window/text_pairs.h does not say where $color is read"
  status=1
done < <(sed '/^\/\/ Of no text/,$d' ui/window/colors.h | grep -oP '(?<=constexpr ImU32 )k\w+')

# What plays makes no video.
if grep -rnE '#include "media/codec/(encoder|layers/layered_encoder|layers/layer_stream|h264/x264_layer|av1/av1_layer|av1/av1_stream)' media/playout; then
  echo "media/playout must not know an encoder"
  status=1
fi

# What needs no desktop is built without GLib.
if grep -rn '#include "base/portal/' app base transport media pubsub ui lab --include='*.h' --include='*.cc' |
  grep -vE '^(base/portal|media/source|ui/shortcut)/'; then
  echo "only media/source and ui/shortcut may ask the desktop's portal"
  status=1
fi

# Every include of ours names its folder.
if grep -rnE '#include "[^/"]+"' app base transport media pubsub ui lab --include='*.h' --include='*.cc'; then
  echo "the includes above do not name their folder"
  status=1
fi

# only FOLDER PATTERN
only() {
  if grep -rnE "#include <$2" app base transport media pubsub ui lab --include='*.h' --include='*.cc' |
    grep -v "^$1/"; then
    echo "only $1 may include $2"
    status=1
  fi
}
only media '(libav|libsw|x264|aom|dav1d)'
only media/codec/process 'seccomp'
only media/sound '(opus|soundtouch|SoundTouch|webrtc|modules/audio)'
only ui '(SDL|imgui|backends/imgui)'
only ui/start 'qrencode'
only ui/sound 'pulse/'
only ui/text '(fontconfig|ft2build|fribidi|stb_)'
only pubsub '(sqlite3|jwt)'
only pubsub/wire 'utf8proc'
only pubsub/nats 'nats'
only transport/proxy 'gssapi'
only 'app/log\|lab' 'spdlog'
only app '(toml|prometheus|boost/beast)'
only 'lab/glass\|media/source' 'xcb'
only 'base/portal\|media/source' '(gio|glib)/'
only media/source '(pipewire|spa)/'
only app/options 'proxy.h'
only lab/bed '(srt|ngtcp2|gnutls)'

# Only base/clock.h reads a clock in engines; the wall clock is for names, log lines and the moments
# at which flows of several hosts dip.
if grep -rn 'system_clock' app base transport media pubsub ui --include='*.h' --include='*.cc' |
  grep -v '^base/clock\.h:'; then
  echo "the wall clock is not for timing"
  status=1
fi
if grep -rnE '(steady_clock::now|\.detach\(\)|sleep_for|sleep_until)' app base transport media pubsub ui \
  --include='*.h' --include='*.cc' | grep -v '^base/clock.h:'; then
  echo "read the clock by base/clock.h; no detached threads, no sleeps"
  status=1
fi

# The page's engine has these rooms whole, but for what needs OpenSSL.
for room in control datagram rate receive send wire; do
  for file in transport/$room/*.cc; do
    grep -q '#include <openssl/' "$file" && continue
    grep -qE "^  $file[)]?\$" web/CMakeLists.txt && continue
    echo "web/CMakeLists.txt has not $file: the page does not link without it"
    status=1
  done
done

exit $status
