// Who is seen: a tile for each member and for what is shared, with a picture where a seat has one.
//
// @ts-check
import {element} from './elements.js';

const SHARES = 3;  // the viewer of what is shared

/** @type {any[]} */
let members = [];
/** @type {Map<string, {tile: HTMLElement, canvas: HTMLCanvasElement | null, name: string}>} */
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

function newTile(/** @type {string} */ name) {
  const tile = document.createElement('figure');
  tile.className = 'tile';
  const initial = document.createElement('span');
  initial.className = 'initial';
  initial.setAttribute('aria-hidden', 'true');
  initial.textContent = [...name][0] ?? '';
  const caption = document.createElement('figcaption');
  caption.textContent = name;
  tile.append(initial, caption);
  element('grid').append(tile);
  return tile;
}

function canvasOf(/** @type {number} */ viewer, /** @type {number} */ seat) {
  const key = `${viewer}:${seat}`;
  let canvas = canvases.get(key);
  if (!canvas) {
    canvas = document.createElement('canvas');
    canvases.set(key, canvas);
    const offscreen = canvas.transferControlToOffscreen();
    worker?.postMessage({do: 'canvas', viewer, seat, canvas: offscreen}, [offscreen]);
  }
  return canvas;
}

function wantedTiles() {
  const wanted = new Map();  // key: {name, canvas, member}
  const byName = new Map(members.map((member) => [member.name, member]));
  const pictured = new Set();
  for (const [key, name] of seated) {
    const [viewer, seat] = key.split(':').map(Number);
    const share = viewer === SHARES;
    if (!share) pictured.add(name);
    wanted.set(key, {name: share ? `${name} (shares)` : name, canvas: canvasOf(viewer, seat),
                     member: share ? undefined : byName.get(name)});
  }
  for (const member of members) {
    if (!pictured.has(member.name)) wanted.set(`name:${member.name}`, {name: member.name, member});
  }
  return wanted;
}

export function layOut() {
  const wanted = wantedTiles();
  for (const [key, entry] of tiles) {
    if (wanted.get(key)?.name === entry.name) continue;
    entry.tile.remove();
    tiles.delete(key);
  }
  for (const [key, {name, canvas, member}] of wanted) {
    let entry = tiles.get(key);
    if (!entry) {
      entry = {tile: newTile(name), canvas: canvas ?? null, name};
      if (canvas) {
        canvas.setAttribute('role', 'img');
        canvas.setAttribute('aria-label', `Picture of ${name}`);
        entry.tile.prepend(canvas);
        entry.tile.querySelector('.initial')?.remove();
      }
      tiles.set(key, entry);
    }
    const signs = [name];
    if (member?.muted) signs.push('muted');
    if (member?.hand > 0) signs.push('hand raised');
    if (member?.records) signs.push('records');
    const caption = /** @type {HTMLElement} */ (entry.tile.querySelector('figcaption'));
    const text = signs.join(' · ');
    if (caption.textContent !== text) caption.textContent = text;
    entry.tile.classList.toggle('speaking', Boolean(member?.speaking && !member.muted));
  }
  const grid = [...element('grid').children];
  const count = grid.filter((tile) => !(/** @type {HTMLElement} */ (tile)).hidden).length;
  const wide = element('grid').clientWidth > element('grid').clientHeight;
  const columns = Math.max(1, Math.ceil(Math.sqrt(count) - (wide ? 0 : 0.5)));
  element('grid').style.setProperty('--columns', String(columns));
}

addEventListener('resize', layOut);
