// Whether one tile is large or all are equal, and which one: as ui/call/layout_choice.h and large_tile of
// ui/window/tile_model.h have it.
//
// @ts-check
import {element, press} from './elements.js';

let one = false;
let cause = false;  // somebody is pinned, or shares
// To go back to, where nobody has chosen since.
/** @type {boolean | null} */
let before = null;
/** @type {string | null} */
let large = null;

export const oneLarge = () => one;

function set(/** @type {boolean} */ on) {
  one = on;
  press('layout', on);
}

function toggle() {
  before = null;
  set(!one);
}

/** While somebody is pinned or shares, one is large, unless it was chosen otherwise since. */
export function followCause(/** @type {boolean} */ on) {
  if (on && !cause && !one) {
    before = one;
    set(true);
  }
  if (!on && before !== null) {
    set(before);
    before = null;
  }
  cause = on;
}

/**
 * Who is pinned, else what is shared, else who speaks, else who spoke last; of several it stays, so that
 * the picture does not jump.
 * @param {{key: string, share: boolean, speaks: boolean, pinned: boolean}[]} tiles
 * @returns {string | null} null: there is none
 */
export function largeOf(tiles) {
  const was = tiles.find(({key}) => key === large);
  const found = tiles.find(({pinned}) => pinned) ??
      (was?.share ? was : undefined) ?? tiles.find(({share}) => share) ??
      (was?.speaks ? was : undefined) ?? tiles.find(({speaks}) => speaks) ?? was ?? tiles[0];
  large = found?.key ?? null;
  return large;
}

/** The button says how it is; `then`: what shows it. */
export function beginLarge(/** @type {() => void} */ then) {
  element('layout').addEventListener('click', () => {
    toggle();
    then();
  });
}
