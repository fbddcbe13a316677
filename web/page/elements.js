// What the parts of the page share: its elements, what it tells a person, and how long a text is for the
// broker.
//
// @ts-check

/** @template {HTMLElement} T @returns {T} */
export function element(/** @type {string} */ id) {
  return /** @type {T} */ (document.getElementById(id));
}

/** One of the page's three views. */
export function show(/** @type {string} */ id) {
  for (const main of document.querySelectorAll('main')) main.hidden = main.id !== id;
  element(id).querySelector('h1')?.focus?.();
}

export function press(/** @type {string} */ id, /** @type {boolean} */ on) {
  element(id).setAttribute('aria-pressed', String(on));
}

const NOTICE_MS = 6000;
const MOST_NOTICES = 3;  // then the oldest goes

/** Something that has happened: stays long enough to be read, beside the status. */
export function notice(/** @type {string} */ text) {
  const line = document.createElement('p');
  line.textContent = text;
  const notices = element('notice');
  notices.append(line);
  while (notices.childElementCount > MOST_NOTICES) notices.firstElementChild?.remove();
  setTimeout(() => line.remove(), NOTICE_MS);
}

/** What is wrong, where a person looks at: in a call or before it. */
export function trouble(/** @type {string} */ text) {
  if (element('call').hidden) element('start-trouble').textContent = text;
  else if (text) notice(text);
}

// pubsub/wire/control_values.h: bytes of a room's and a member's name, and of a message.
export const MOST_NAME = 64;
export const MOST_CHAT = 2000;

export function bytesOf(/** @type {string} */ text) {
  return new TextEncoder().encode(text).length;
}
