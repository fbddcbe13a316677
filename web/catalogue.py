#!/usr/bin/env python3
"""A catalogue of ui/po as JSON, for the page: catalogue.py FILE.po > FILE.json

Its lines are not wrapped (msgcat --no-wrap), so that a text is one line.
"""
import json
import re
import sys

texts = {}
with open(sys.argv[1], encoding="utf-8") as file:
    for text, translated in re.findall(r'^msgid (".+")\nmsgstr (".+")$', file.read(), re.MULTILINE):
        texts[json.loads(text)] = json.loads(translated)
json.dump(texts, sys.stdout, ensure_ascii=False, separators=(",", ":"))
