// The chat: what others wrote is put into the page as text, never as markup.
//
// @ts-check
import {bytesOf, element, MOST_CHAT, notice} from './elements.js';
import {beginPanel} from './panels.js';
import {filled, tr} from './words.js';

const MOST_LINES = 200;
let open = false;  // the broker knows chat

export function clearChat(/** @type {boolean} */ known) {
  open = known;
  element('chat-button').hidden = !known;
  element('chat-lines').replaceChildren();
}

export function addLine(/** @type {any} */ said) {
  const line = document.createElement('li');
  const who = document.createElement('b');
  who.textContent = `${said.to ? filled(tr('{} to {}'), said.from, said.to) : said.from}: `;
  line.append(who, document.createTextNode(said.text));
  const lines = element('chat-lines');
  lines.append(line);
  while (lines.childElementCount > MOST_LINES) lines.firstElementChild?.remove();
  lines.scrollTop = lines.scrollHeight;
  if (element('chat').hidden && said.ago_s < 5) notice(`${said.from}: ${said.text}`);
}

export function beginChat(/** @type {Worker} */ worker) {
  element('chat-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const input = /** @type {HTMLInputElement} */ (element('chat-text'));
    const text = input.value.trim();
    if (!text || !open) return;
    if (bytesOf(text) > MOST_CHAT) {
      return notice(tr('Your message was not sent: it is too long. Please make two of it.'));
    }
    worker.postMessage({do: 'say', text});
    input.value = '';
  });
}

beginPanel('chat-button', () => element('chat-text').focus());
