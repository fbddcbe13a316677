// Who is seen: a tile for each member and for what is shared, with a picture where a seat has one. All
// are equal, or one is large (large.js).
//
// @ts-check
import {element} from './elements.js';
import {followCause, largeOf, oneLarge} from './large.js';
import {ownLink, pictureLink, showLink, soundLink} from './links.js';
import {filled, tr} from './words.js';

const SHARES = 3;  // app/room/room_tracks.h: the viewer of what is shared

/**
 * @typedef {{name: string, title: string, share: boolean, canvas?: HTMLCanvasElement, member?: any}} Wanted
 * @typedef {{tile: HTMLElement, title: string}} Tile
 */

/** @type {any[]} */
let members = [];
/** @type {any} */
let report = null;
let pinned = '';
/** @type {Map<string, Tile>} */
const tiles = new Map();
// Who is where: `viewer:seat` to a name.
/** @type {Map<string, string>} */
const seated = new Map();
// A canvas is handed to the worker once, so it stays with its seat; the seat's name changes.
/** @type {Map<string, HTMLCanvasElement>} */
const canvases = new Map();
/** @type {Worker | null} */
let worker = null;

/** Canvases go to this worker. */
export function beginLayout(/** @type {Worker} */ to) {
  worker = to;
}

export function setMembers(/** @type {any[]} */ of) {
  members = of;
  layOut();
}

/** `picture`: there is one of that member; otherwise there is only the name. */
export function setSeat(/** @type {any} */ {viewer, seat, name, picture}) {
  if (name && picture) seated.set(`${viewer}:${seat}`, name);
  else seated.delete(`${viewer}:${seat}`);
  layOut();
}

/** How well they come. */
export function setReport(/** @type {any} */ now) {
  report = now;
  for (const [key, {tile}] of tiles) showLink(tile, linkOf(key));
  showLink(element('own'), ownLink(report));
}

function linkOf(/** @type {string} */ key) {
  const [viewer, seat] = key.split(':');
  if (viewer === 'name') {
    const name = key.slice('name:'.length);
    return soundLink(report?.heard.find((/** @type {any} */ one) => one.name === name));
  }
  return pictureLink(report?.seats.find((/** @type {any} */ one) =>
    one.viewer === Number(viewer) && one.seat === Number(seat)));
}

/** That one is large; empty: nobody is. */
export function pin(/** @type {string} */ name) {
  pinned = name;
  layOut();
}
export const pinnedName = () => pinned;

function newTile(/** @type {Wanted} */ {title, canvas}) {
  const tile = document.createElement('figure');
  tile.className = 'tile';
  if (canvas) {
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', filled(tr('Picture of {}'), title));
    tile.append(canvas);
  } else {
    const initial = document.createElement('span');
    initial.className = 'initial';
    initial.setAttribute('aria-hidden', 'true');
    initial.textContent = [...title][0] ?? '';
    tile.append(initial);
  }
  tile.append(document.createElement('figcaption'));
  element('grid').append(tile);
  return tile;
}

function canvasOf(/** @type {string} */ key) {
  let canvas = canvases.get(key);
  if (!canvas) {
    canvas = document.createElement('canvas');
    canvases.set(key, canvas);
    const [viewer, seat] = key.split(':').map(Number);
    const offscreen = canvas.transferControlToOffscreen();
    worker?.postMessage({do: 'canvas', viewer, seat, canvas: offscreen}, [offscreen]);
  }
  return canvas;
}

function wantedTiles() {
  /** @type {Map<string, Wanted>} */
  const wanted = new Map();
  const byName = new Map(members.map((member) => [member.name, member]));
  const pictured = new Set();
  for (const [key, name] of seated) {
    const share = key.startsWith(`${SHARES}:`);
    if (!share) pictured.add(name);
    wanted.set(key, {name, share, title: share ? filled(tr('{}: share'), name) : name,
                     canvas: canvasOf(key), member: share ? undefined : byName.get(name)});
  }
  for (const member of members) {
    const {name} = member;
    if (!pictured.has(name)) wanted.set(`name:${name}`, {name, title: name, share: false, member});
  }
  return wanted;
}

function captionOf(/** @type {Wanted} */ {title, member}) {
  const signs = [title];
  if (member?.held) signs.push(tr('muted by the room'));
  else if (member?.muted) signs.push(tr('muted'));
  if (member?.hand > 0) {
    const place = members.filter(({hand}) => hand > 0 && hand <= member.hand).length;
    signs.push(filled(tr('hand {}'), place));
  }
  if (member?.records) signs.push(tr('records'));
  return signs.join(' · ');
}

export function layOut() {
  const wanted = wantedTiles();
  for (const [key, entry] of tiles) {
    if (wanted.get(key)?.title === entry.title) continue;
    entry.tile.remove();
    tiles.delete(key);
  }
  for (const [key, one] of wanted) {
    let entry = tiles.get(key);
    if (!entry) tiles.set(key, entry = {tile: newTile(one), title: one.title});
    const caption = /** @type {HTMLElement} */ (entry.tile.querySelector('figcaption'));
    const text = captionOf(one);
    if (caption.textContent !== text) caption.textContent = text;
    entry.tile.classList.toggle('speaking', speaks(one));
  }
  place(wanted);
}

const speaks = (/** @type {Wanted} */ {member}) => Boolean(member?.speaking && !member.muted);

function place(/** @type {Map<string, Wanted>} */ wanted) {
  const grid = element('grid');
  const list = [...wanted].map(([key, one]) => ({
    key, share: one.share, speaks: speaks(one), pinned: !one.share && one.name === pinned,
  }));
  followCause(list.some((one) => one.pinned || one.share));
  const large = oneLarge() ? largeOf(list) : null;
  grid.classList.toggle('one-large', large !== null);
  for (const [key, {tile}] of tiles) tile.classList.toggle('large', key === large);
  const shown = [...grid.children].filter((tile) => !(/** @type {HTMLElement} */ (tile)).hidden);
  const wide = grid.clientWidth > grid.clientHeight;
  const count = shown.length;
  if (large === null) {
    const columns = Math.max(1, Math.ceil(Math.sqrt(count) - (wide ? 0 : 0.5)));
    return grid.style.setProperty('--columns', String(columns));
  }
  // A strip of the others below: of one line, or of two that are less high.
  const most = wide ? 6 : 3;
  const lines = Math.ceil((count - 1) / most);
  grid.style.setProperty('--columns', String(most));
  grid.style.setProperty('--line', `${Math.min(22, 44 / Math.max(1, lines))}%`);
}

addEventListener('resize', layOut);
