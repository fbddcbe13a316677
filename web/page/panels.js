// The panels beside the pictures: one is open at a time, as on the window.
//
// @ts-check
import {element} from './elements.js';
import {layOut} from './layout.js';

/** @type {Map<string, () => void>} */
const opened = new Map();

/** `button` opens and closes the panel that it controls; `then`: what is done once it is open. */
export function beginPanel(/** @type {string} */ button, /** @type {() => void} */ then) {
  opened.set(button, then);
  element(button).addEventListener('click', () => {
    const on = element(button).getAttribute('aria-expanded') !== 'true';
    for (const other of opened.keys()) expand(other, on && other === button);
    if (on) then();
    layOut();
  });
}

function expand(/** @type {string} */ button, /** @type {boolean} */ on) {
  element(button).setAttribute('aria-expanded', String(on));
  element(element(button).getAttribute('aria-controls') ?? '').hidden = !on;
}
