// The words of the page in a person's language, from the catalogues of the windows (ui/po), which
// web/build.sh makes JSON of. Where a catalogue or a text is missing, it is English.
//
//   tr('Join')                       as ui/text/translated.h has it
//   filled(tr('{} joined'), name)    with what is in braces filled in, one after the other
//
// tests/ui/po_test.sh sees that no text is missing. It finds those of index.html, too: each text between
// two tags, each aria-label and placeholder.
//
// @ts-check

const SOURCE = 'en';  // what the texts are written in

/** The first of a person's languages that there is. */
async function catalogue() {
  for (const wanted of navigator.languages) {
    const language = wanted.split('-')[0].toLowerCase();
    if (language === SOURCE) break;
    try {
      const answer = await fetch(`/web/${encodeURIComponent(language)}.json`);
      if (answer.ok) return {language, texts: await answer.json()};
    } catch { /* then the next one */ }
  }
  return {language: SOURCE, texts: {}};
}

// Whoever imports this begins when it is there.
const {language, texts} = await catalogue();

export function tr(/** @type {string} */ text) {
  return Object.hasOwn(texts, text) ? texts[text] : text;
}

export function filled(/** @type {string} */ pattern, /** @type {any[]} */ ...values) {
  let next = 0;
  return pattern.replace(/\{[^}]*\}/g, () => String(values[next++]));
}

/** What index.html says. */
export function translatePage() {
  document.documentElement.lang = language;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = /** @type {Text} */ (walker.currentNode);
    const text = node.data.trim();
    if (!text || node.parentElement?.localName === 'noscript') continue;
    node.data = node.data.replace(text, () => tr(text));
  }
  for (const name of ['aria-label', 'placeholder']) {
    for (const one of document.querySelectorAll(`[${name}]`)) {
      const text = one.getAttribute(name);
      if (text) one.setAttribute(name, tr(text));
    }
  }
}
