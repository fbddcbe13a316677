# What `./run demo` shows, once the program is built. Sourced by run, whose `say` it uses.

# What was started for a demo ends with it, the last first. Not local: the trap outlives the function.
started=() log= demo_folder=
end_demo() {
  local i
  for ((i = ${#started[@]} - 1; i >= 0; --i)); do
    kill -TERM "${started[i]}" 2>/dev/null || true
    wait "${started[i]}" 2>/dev/null || true
  done
  [[ -z $log ]] || rm -f "$log"
  [[ -z $demo_folder ]] || rm -rf "$demo_folder"
}

# start_for_demo MARK COMMAND...: starts it, and sets `url` to what it says behind MARK.
start_for_demo() {
  local mark=$1
  shift
  log=$(mktemp)
  trap end_demo EXIT
  trap 'exit 130' INT TERM
  "$@" > /dev/null 2> >(tee "$log" >&2) &
  started+=($!)
  url=
  local _
  for _ in {1..100}; do
    url=$(sed -n "s/.*$mark//p" "$log" | head -n 1)
    [[ -n $url ]] && return
    kill -0 "${started[0]}" 2>/dev/null || { echo "it did not start: $*" >&2; exit 1; }
    sleep 0.1
  done
  echo "it did not say where it listens: $*" >&2
  exit 1
}

has_display() { [[ -n ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]]; }

demo_live() {
  local qvid=build/release/app/qvid
  say "starting a server: qvid serve"
  start_for_demo 'watch it with: qvid play ' "$qvid" serve --listen 127.0.0.1:0
  if has_display; then
    say "qvid play $url   (keys: i statistics, h help, q quit)"
    "$qvid" play "$url" --overlay && return
    say "no window, or it was closed before a picture came: playing ten seconds without one"
  else
    say "there is no display: playing ten seconds without one"
  fi
  "$qvid" play "$url" --headless --duration 10
}

demo_call() {
  local qvid=build/release/app/qvid name
  say "starting a broker: qvid broker"
  start_for_demo 'join with: qvid call ' "$qvid" broker --listen 127.0.0.1:0
  for name in Bob Cid; do
    say "qvid call $url --name $name --source test --headless"
    "$qvid" --quiet call "$url" --name "$name" --source test --size 640x360 --headless >/dev/null 2>&1 &
    started+=($!)
  done
  if has_display; then
    say "qvid call $url --name Ann   (keys: h help, l layout, p pin, q leave)"
    "$qvid" call "$url" --name Ann --source test --size 640x360 && return
    say "no window: ten seconds without one"
  else
    say "there is no display: ten seconds without one"
  fi
  "$qvid" call "$url" --name Ann --source test --size 640x360 --headless --duration 10
}

# Three servers of NATS, three brokers, and a party at each.
demo_cluster() {
  local qvid=build/release/app/qvid nats port i servers=() urls=() routes
  nats=$(command -v nats-server || echo /usr/sbin/nats-server)
  port=$((20000 + RANDOM % 20000))
  demo_folder=$(mktemp -d)
  routes="nats://127.0.0.1:$((port + 10)),nats://127.0.0.1:$((port + 11)),nats://127.0.0.1:$((port + 12))"
  trap end_demo EXIT
  trap 'exit 130' INT TERM
  for i in 0 1 2; do
    servers+=("nats://127.0.0.1:$((port + i))")
    "$nats" -n "nats-$i" -a 127.0.0.1 -p $((port + i)) -js -sd "$demo_folder/$i" --cluster_name qvid-demo \
      --cluster "nats://127.0.0.1:$((port + 10 + i))" --routes "$routes" >/dev/null 2>&1 &
    started+=($!)
  done
  say "three servers of NATS: ${servers[*]}"
  sleep 3  # until they have a leader
  for i in east west south; do
    start_for_demo 'join with: qvid call ' "$qvid" broker --listen 127.0.0.1:0 --local-admin \
      --cluster "$(IFS=,; echo "${servers[*]}")" --name "$i"
    urls+=("$url")
  done
  "$qvid" --quiet call "${urls[1]}" --name Bob --source test --size 640x360 --headless >/dev/null 2>&1 &
  started+=($!)
  "$qvid" --quiet call "${urls[2]}" --name Cid --source test --size 640x360 --headless >/dev/null 2>&1 &
  started+=($!)
  say "Ann joins at east, Bob is at west, Cid at south"
  if has_display; then
    "$qvid" call "${urls[0]}" --name Ann --source test --size 640x360 && return
  fi
  "$qvid" call "${urls[0]}" --name Ann --source test --size 640x360 --headless --duration 10
  "$qvid" admin cluster "${urls[0]}"
}
