#!/usr/bin/env bash
# What documents and comments name exists: files of ours in `code` or text, and linked pages. No file
# of code is longer than 400 lines.
set -euo pipefail
cd "$1"
status=0
complain() {
  echo "$*"
  status=1
}

while IFS=: read -r document path; do
  compgen -G "$path" >/dev/null || complain "$document names $path, which is not there"
done < <(grep -roHE '\b(app|base|transport|media|pubsub|ui|lab|tests|examples|cmake|packaging)/[A-Za-z0-9_/*.]+\.(h|cc|sh|toml|txt|in)\b' \
  README.md docs app base transport media pubsub ui lab tests \
  --include='*.md' --include='*.h' --include='*.cc' --include='*.sh' | grep -v '\.cc:#include' | sort -u)

while IFS=: read -r document link; do
  target=${link#](}
  target=${target%)}
  target=${target%%#*}
  [[ -z $target || $target == http* ]] && continue
  [[ -e $(dirname "$document")/$target ]] || complain "$document links to $target, which is not there"
done < <(grep -oHE '\]\([^)]+\)' README.md docs/*.md)

while read -r lines file; do
  [[ $file == total ]] || ((lines <= 400)) || complain "$file has $lines lines: it is asking to be two"
done < <(find app base transport media pubsub ui lab web tests examples \
  -path web/dist -prune -o \( -name '*.h' -o -name '*.cc' -o -name '*.sh' -o -name '*.js' \) -print |
  xargs wc -l)
exit $status
