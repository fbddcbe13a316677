// The engines (guest.wasm), as the parts of the worker call them, and what a part does after a codec has
// failed.
//
// @ts-check

// Set before any request of the page is done.
/** @type {any} */
export let engines = null;

export function setEngines(/** @type {any} */ made) {
  engines = made;
}

/**
 * Calls a function of the engines with bytes in their memory.
 * @template T @param {Uint8Array} bytes @param {(at: number, size: number) => T} call @returns {T}
 */
export function withBytes(bytes, call) {
  const at = engines._malloc(Math.max(bytes.length, 1));
  engines.HEAPU8.set(bytes, at);
  try {
    return call(at, bytes.length);
  } finally {
    engines._free(at);
  }
}

/** @template T @param {string} text @param {(at: number) => T} call @returns {T} */
export function withText(text, call) {
  return withBytes(new TextEncoder().encode(`${text}\0`), call);
}

const SELDOM_MS = 30000;
/** @type {Map<string, number>} */
const toldAt = new Map();

/** What of this kind went wrong, for a person: not more often than every half a minute. */
export function tellSeldom(/** @type {string} */ kind, /** @type {string} */ text) {
  const now = performance.now();
  const before = toldAt.get(kind);
  if (before !== undefined && now - before < SELDOM_MS) return;
  toldAt.set(kind, now);
  self.postMessage({event: 'notice', text});
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30000;

/** How long a codec that failed is left alone: twice as long each time, until it works. */
export class Backoff {
  constructor() {
    this.waitMs = FIRST_WAIT_MS;
    this.notBefore = 0;
  }
  may() {
    return performance.now() >= this.notBefore;
  }
  failed() {
    if (!this.may()) return;
    this.notBefore = performance.now() + this.waitMs;
    this.waitMs = Math.min(2 * this.waitMs, LONGEST_WAIT_MS);
  }
  worked() {
    this.waitMs = FIRST_WAIT_MS;
  }
}
