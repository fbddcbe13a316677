#!/usr/bin/env bash
# Every text of the windows and of the page for browsers is in every catalogue of ui/po, and what is filled in is the same there.
#   po_test.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# texts LANGUAGE FILE...: what they give to one of these, which for the page's worker are tellSeldom and,
# in its engines, tell_notice: the page translates what it is told.
texts() {
  xgettext --language="$1" --from-code=UTF-8 --keyword=tr --keyword=marked --keyword=tell_notice \
    --keyword=tellSeldom:2 --output="$work/$1.pot" "${@:2}"
}
mapfile -t windows < <(find app ui web/engine -name '*.cc' -o -name '*.h' | sort)
texts C++ "${windows[@]}"
python3 tests/ui/html_texts.py web/page/index.html >"$work/index.js"
texts JavaScript web/page/*.js "$work/index.js"
msgcat "$work/C++.pot" "$work/JavaScript.pot" >"$work/qvid.pot"

# same_braces, of one text: msgexec gives the translation on its input.
cat >"$work/same_braces" <<'TEXT'
#!/usr/bin/env bash
[[ -n $MSGEXEC_MSGID ]] || exit 0
braces() { grep -oE '\{[^}]*\}' | sort; }
[[ $(braces) == "$(braces <<<"$MSGEXEC_MSGID")" ]] && exit 0
echo "what is in braces differs: $MSGEXEC_MSGID"
TEXT
chmod +x "$work/same_braces"

for catalogue in ui/po/*.po; do
  if ! msgcmp "$catalogue" "$work/qvid.pot" 2>"$work/missing"; then
    echo "$catalogue has not these texts:"
    cat "$work/missing"
    status=1
  fi
  grep '^msgid "' "$catalogue" | sort >"$work/have"
  msgcat --no-wrap "$work/qvid.pot" | grep '^msgid "' | sort >"$work/wanted"
  if [[ -n $(comm -23 "$work/have" "$work/wanted") ]]; then
    echo "$catalogue has texts that no source has:"
    comm -23 "$work/have" "$work/wanted"
    status=1
  fi
  if msgexec --input="$catalogue" "$work/same_braces" | grep .; then
    echo "... in $catalogue"
    status=1
  fi
done
exit $status
