// Who is here, those who have raised a hand first, then oneself, then the others by name; and what can be
// done: how loud they are here, not to hear them, to pin them; for who may moderate, also to mute them for
// all and to remove them.
//
// @ts-check
import {element} from './elements.js';
import {pin, pinnedName} from './layout.js';
import {beginPanel} from './panels.js';
import {filled, tr} from './words.js';

const MOST_PERCENT = 400;  // SoundMixer::kMostVolume

/** @type {Worker | null} */
let worker = null;
let moderates = false;
let locked = false;
/** @type {any[]} */
let people = [];
const own = document.createElement('li');
own.className = 'own-line';
/** By name. @type {Map<string, Row>} */
const rows = new Map();
/** How loud they are here, also once they come back. @type {Map<string, Volume>} */
const volumes = new Map();
const VOLUMES_KEY = 'qvid-volumes';  // of each name, percent; the one set last is the last
const MOST_VOLUMES = 256;  // SoundSeats::kMostVolumes; then the oldest goes

/** @typedef {{percent: number, silenced: boolean}} Volume */
/** @typedef {{line: HTMLLIElement, show: (person: any, place: number) => void}} Row */

const volumeOf = (/** @type {string} */ name) =>
    volumes.get(name) ?? {percent: 100, silenced: false};

function readVolumes() {
  try {
    const kept = JSON.parse(localStorage.getItem(VOLUMES_KEY) ?? '[]');
    for (const [name, percent] of kept.slice(-MOST_VOLUMES)) {
      if (typeof name !== 'string' || !(percent >= 0 && percent <= MOST_PERCENT)) continue;
      setVolume(name, {percent, silenced: false});
    }
  } catch { /* nothing is kept here, or it is none of ours */ }
}

function keepVolumes() {
  const kept = [...volumes].filter(([, {percent}]) => percent !== 100)
      .map(([name, {percent}]) => [name, percent]);
  try {
    localStorage.setItem(VOLUMES_KEY, JSON.stringify(kept.slice(-MOST_VOLUMES)));
  } catch { /* then it is as loud as any the next time */ }
}

function setVolume(/** @type {string} */ name, /** @type {Volume} */ volume) {
  volumes.delete(name);
  volumes.set(name, volume);
  const [oldest] = volumes.keys();
  if (volumes.size > MOST_VOLUMES) volumes.delete(oldest);
  worker?.postMessage({do: 'volume', name, volume: volume.silenced ? 0 : volume.percent / 100});
  showPeople();
}

function administer(/** @type {any} */ request) {
  worker?.postMessage({do: 'administer', request});
}

// What is to be known of somebody, in words.
function stateOf(/** @type {any} */ person, /** @type {number} */ place) {
  const {percent, silenced} = volumeOf(person.name);
  const state = [];
  if (place > 0) state.push(filled(tr('hand {}'), place));
  if (person.held) state.push(tr('muted by the room'));
  else if (person.muted) state.push(tr('muted'));
  if (person.records) state.push(tr('records'));
  if (silenced) state.push(tr('not heard'));
  else if (percent !== 100) state.push(`${percent} %`);
  if (pinnedName() === person.name) state.push(tr('pinned'));
  return state.join(', ');
}

/** A button of a person's. */
function button(/** @type {HTMLElement} */ to, /** @type {() => void} */ press) {
  const made = document.createElement('button');
  made.type = 'button';
  made.addEventListener('click', press);
  to.append(made);
  return made;
}

function label(/** @type {HTMLElement} */ of, /** @type {string} */ text,
               /** @type {string} */ name) {
  if (of.textContent === text) return;
  of.textContent = text;
  of.setAttribute('aria-label', `${text}: ${name}`);
}

function addVolume(/** @type {HTMLElement} */ to, /** @type {string} */ name) {
  const words = document.createElement('span');
  words.setAttribute('aria-hidden', 'true');  // the slider says it
  const slider = document.createElement('input');
  slider.type = 'range';
  slider.max = String(MOST_PERCENT);
  slider.step = '10';
  slider.addEventListener('input', () =>
      setVolume(name, {...volumeOf(name), percent: Number(slider.value)}));
  slider.addEventListener('change', keepVolumes);
  to.append(words, slider);
  return () => {
    const {percent} = volumeOf(name);
    words.textContent = filled(tr('volume {:.0f} %'), percent);
    slider.value = String(percent);
    slider.setAttribute('aria-label', `${words.textContent}: ${name}`);
  };
}

/** @returns {Row} */
function newRow(/** @type {string} */ name) {
  const line = document.createElement('li');
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  const who = document.createElement('b');
  who.textContent = name;
  const state = document.createElement('span');
  summary.append(who, state);
  const actions = document.createElement('div');
  actions.className = 'actions';
  details.append(summary, actions);
  line.append(details);

  let person = /** @type {any} */ ({});
  let removing = false;  // it is asked once more
  const showVolume = addVolume(actions, name);
  const silence = button(actions, () =>
      setVolume(name, {...volumeOf(name), silenced: !volumeOf(name).silenced}));
  const hold = button(actions, () => administer({what: 'hold', name, on: !person.held}));
  const pins = button(actions, () => {
    pin(pinnedName() === name ? '' : name);
    showPeople();
  });
  const remove = button(actions, () => {
    if (removing) administer({what: 'kick', name, on: true});
    removing = !removing;
    showPeople();
  });
  details.addEventListener('toggle', () => {
    removing = false;
    showPeople();
  });
  return {
    line,
    show(now, place) {
      person = now;
      const text = stateOf(person, place);
      if (state.textContent !== text) state.textContent = text;
      showVolume();
      label(silence, volumeOf(name).silenced ? tr('Hear') : tr('Do not hear'), name);
      label(pins, pinnedName() === name ? tr('Let go') : tr('Pin'), name);
      label(hold, person.held ? tr('Let speak') : tr('Mute for all'), name);
      label(remove, removing ? tr('Remove from the room') : tr('Remove...'), name);
      remove.classList.toggle('leave', removing);
      hold.hidden = remove.hidden = !moderates;
    },
  };
}

function showPeople() {
  const list = element('people-list');
  const byHand = people.filter(({hand}) => hand > 0).sort((a, b) => a.hand - b.hand);
  const others = people.filter(({hand}) => !(hand > 0));
  others.sort((a, b) => a.name.localeCompare(b.name));
  const lineOf = (/** @type {any} */ person, place = 0) => {
    let row = rows.get(person.name);
    if (!row) rows.set(person.name, row = newRow(person.name));
    row.show(person, place);
    return row.line;
  };
  const lines = [...byHand.map((person, i) => lineOf(person, i + 1)), own,
                 ...others.map((person) => lineOf(person))];
  // Moved only where the order is another, since what is moved has not the keys any more.
  if (lines.length !== list.children.length || lines.some((line, i) => list.children[i] !== line)) {
    list.replaceChildren(...lines);
  }
  element('lock').hidden = !moderates;
  const text = locked ? tr('Open the room') : tr('Lock the room');
  if (element('lock').textContent !== text) element('lock').textContent = text;
}

export function setPeople(/** @type {any[]} */ members) {
  people = members;
  const names = new Set(people.map(({name}) => name));
  for (const name of rows.keys()) if (!names.has(name)) rows.delete(name);
  showPeople();
}

/** Whether one may hold sound, remove and lock. */
export function setModerates(/** @type {boolean} */ may) {
  moderates = may;
  showPeople();
}

export function setLocked(/** @type {boolean} */ on) {
  locked = on;
  showPeople();
}

export function beginPeople(/** @type {Worker} */ to, /** @type {string} */ ownName) {
  worker = to;
  own.textContent = filled(tr('{} (you)'), ownName);
  readVolumes();
}

element('lock').addEventListener('click', () => administer({what: 'lock', on: !locked}));
beginPanel('people-button', () => {
  const first = element('people').querySelector('button:not([hidden]), summary');
  /** @type {HTMLElement | null} */ (first)?.focus();
});
