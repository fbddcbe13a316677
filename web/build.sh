#!/usr/bin/env bash
# The page of guests with a browser: web/dist, as the broker serves it. `./run build web` calls this
# once emscripten is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/web
# Where Debian has what emscripten wants of node; one that is not Debian's does not look there.
export NODE_PATH=/usr/share/nodejs${NODE_PATH:+:$NODE_PATH}
if [[ ! -f $build/build.ninja ]]; then
  emcmake cmake -S web -B "$build" -G Ninja -DCMAKE_BUILD_TYPE= >/dev/null
fi
cmake --build "$build" "$@"
mkdir -p web/dist
rm -f web/dist/*
cp web/page/* "$build"/guest.js "$build"/guest.wasm web/dist/
for catalogue in ui/po/*.po; do
  name=$(basename "$catalogue" .po)
  python3 web/catalogue.py "$catalogue" >"web/dist/$name.json"
done
