#!/usr/bin/env bash
# The dependency drawing of docs/architecture.md, checked: which folder includes which, and which
# folder alone includes a foreign library.
set -euo pipefail
cd "$1"
status=0

# allowed FOLDER "folders it may include"
allowed() {
  local folder=$1 may=" $1 base $2 " line target
  [[ -d $folder ]] || return 0
  while IFS= read -r line; do
    target=$(sed -E 's/.*#include "([a-z]+)\/.*/\1/' <<<"$line")
    if [[ $may != *" $target "* ]]; then
      echo "$folder must not include $target: $line"
      status=1
    fi
  done < <(grep -rnE '#include "[a-z]+/' "$folder" --include='*.h' --include='*.cc' || true)
}
allowed base ""
allowed transport ""
allowed media ""
allowed pubsub "transport"
allowed ui "media"
allowed app "ui media pubsub transport"
allowed lab "transport media pubsub"

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
only media '(libav|libsw|x264)'
only media/sound '(opus|soundtouch|SoundTouch|webrtc|modules/audio)'
only ui '(SDL|imgui|backends/imgui)'
only pubsub '(sqlite3|jwt)'
only app '(toml|prometheus|boost/beast)'

# Only base/clock.h reads a clock in engines; the wall clock is for names and log lines.
if grep -rn 'system_clock' app base transport media pubsub ui --include='*.h' --include='*.cc'; then
  echo "the wall clock is not for timing"
  status=1
fi
if grep -rnE '(steady_clock::now|\.detach\(\)|sleep_for|sleep_until)' app base transport media pubsub ui \
  --include='*.h' --include='*.cc' | grep -v '^base/clock.h:'; then
  echo "read the clock by base/clock.h; no detached threads, no sleeps"
  status=1
fi
exit $status
