// The keys of the window (docs/ui.md), as far as the page has what they do: each presses the button that
// names it. While one types, keys are letters and nothing else.
//
// @ts-check
import {element} from './elements.js';
import {talk} from './own.js';

// What takes letters, or keys that it has a use for.
const TYPING = 'input:not([type=checkbox]), textarea, select';
// What the space bar presses.
const PRESSED = 'button, summary, input';

export function beginKeys() {
  for (const button of document.querySelectorAll('nav [aria-keyshortcuts]')) {
    /** @type {HTMLElement} */ (button).title = button.getAttribute('aria-keyshortcuts') ?? '';
  }
}

addEventListener('keydown', (event) => {
  if (element('call').hidden || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  const at = /** @type {Element} */ (event.target);
  if (event.key === 'Escape') return closePanel(at);
  if (at.matches(TYPING)) return;
  if (event.key === ' ' && !at.matches(PRESSED)) {
    event.preventDefault();
    return talk(true);
  }
  const button = [...document.querySelectorAll('nav [aria-keyshortcuts]')].find(
      (one) => one.getAttribute('aria-keyshortcuts') === event.key.toLowerCase());
  if (!(button instanceof HTMLElement) || button.hidden) return;
  event.preventDefault();
  button.click();
});

addEventListener('keyup', ({key}) => {
  if (key === ' ') talk(false);
});
addEventListener('blur', () => talk(false));

// Who presses a button with the mouse does not mean it by the keys that follow.
element('call').addEventListener('click', (event) => {
  const by = /** @type {PointerEvent} */ (event).pointerType;
  const at = /** @type {Element} */ (event.target).closest('nav button');
  if (by === 'mouse' && at instanceof HTMLElement) at.blur();
});

/** The panel that one is in, and back to the button that opened it. */
function closePanel(/** @type {Element} */ at) {
  const panel = at.closest('.panel');
  if (!panel) return;
  const button = /** @type {HTMLElement | null} */ (
    document.querySelector(`[aria-controls=${panel.id}]`));
  button?.click();
  button?.focus();
}
