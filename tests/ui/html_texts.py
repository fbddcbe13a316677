#!/usr/bin/env python3
"""What a page says by itself, as calls of tr() that xgettext reads: html_texts.py FILE.html

As translatePage() of web/page/words.js finds it.
"""
import html.parser
import json
import sys


class Texts(html.parser.HTMLParser):
    apart = None  # inside of it nothing is translated

    def handle_starttag(self, tag, attrs):
        if tag in ("title", "noscript"):
            self.apart = tag
        for name, value in attrs:
            if name in ("aria-label", "placeholder"):
                self.say(value)

    def handle_endtag(self, tag):
        if tag == self.apart:
            self.apart = None

    def handle_data(self, data):
        if not self.apart:
            self.say(data.strip())

    @staticmethod
    def say(text):
        if text:
            print(f"tr({json.dumps(text, ensure_ascii=False)});")


with open(sys.argv[1], encoding="utf-8") as file:
    Texts().feed(file.read())
