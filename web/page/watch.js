// Watching what a server shows live: one picture that fills, its sound, and what there is to say about
// it. The session is in worker.js; window.qvid is as page.js has it.
//
// Sound begins as soon as the browser lets it, which may take a press; while it is off none is sent.
//
// @ts-check
import {element, show} from './elements.js';
import {newOutput, openSpeaker} from './output.js';
import {filled, tr} from './words.js';

const PREFIX = '/watch/';
const STILL_MS = 2000;     // without a new picture: it is said
const IDLE_MS = 3000;      // in full screen: then the buttons go
const NOTICE_MS = 6000;
const VOLUME_STEP = 10;    // percent

/** What this address is about; null: no video. */
export function watchedName() {
  if (!location.pathname.startsWith(PREFIX)) return null;
  const name = location.pathname.slice(PREFIX.length);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const state = {
  /** @type {any} */ report: null,
  /** @type {any} */ status: {state: 'start'},
  source: {ok: true, text: ''},
  limited: '',
  notice: '',
  sound: false,  // it is played
  /** How loud what is played is now, 0 to 1. */
  get level() {
    if (!meter) return 0;
    const samples = new Float32Array(meter.fftSize);
    meter.getFloatTimeDomainData(samples);
    return Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length);
  },
};

/** @type {Worker | null} */
let worker = null;
/** @type {AudioContext | null} */
let audio = null;
/** @type {GainNode | null} */
let volume = null;
/** @type {AnalyserNode | null} */
let meter = null;
let shown = 0;      // pictures, when the newest was told
let shownAt = 0;
let wasSeen = false;

function over(/** @type {string} */ title, /** @type {string} */ text, again = true) {
  if (document.fullscreenElement) document.exitFullscreen();
  audio?.close();
  audio = volume = meter = null;
  worker?.terminate();
  worker = null;
  element('over-title').textContent = title;
  element('over-text').textContent = text;
  element('again').textContent = tr('Watch again');
  element('again').hidden = !again;
  show('over');
}

function statusText() {
  const {status, report, source} = state;
  switch (status.state) {
    case 'connecting':
      return tr('Connecting …');
    case 'waiting':
      return filled(wasSeen ? tr('The connection was lost: {}. Trying again …') :
                              tr('Not connected: {}. Trying again …'), status.reason);
    case 'playing':
      if (report?.interrupted) return tr('The connection was lost, it comes back …');
      if (!source.ok) return source.text;
      if (performance.now() - shownAt > STILL_MS) return tr('Waiting for the picture …');
      return tr(state.notice);
    default:
      return '';
  }
}

function showStatus() {
  const text = statusText();
  const place = element('watch-status');
  if (place.textContent !== text) place.textContent = text;
  place.hidden = text === '';
}

// What the worker tells.
/** @type {Record<string, (event: any) => void>} */
const events = {
  status(event) {
    state.status = event;
    switch (event.state) {
      case 'playing':
        state.source = {ok: true, text: ''};
        state.limited = '';
        state.report = null;
        shown = shownAt = 0;
        element('watch-sound').hidden = element('watch-volume').hidden = !event.sound;
        break;
      case 'ended':
        return over(wasSeen ? tr('This has ended') : tr('This cannot be watched'), event.reason);
      case 'failed':
        return over(tr('This has ended'), filled(tr('Something went wrong here: {}'), event.reason));
      case 'broken':
        return over(tr('This does not work here'), event.reason, false);
    }
    showStatus();
  },
  source(event) {
    state.source = event;
    showStatus();
  },
  limited(event) {
    state.limited = event.reason;
  },
  notice(event) {
    state.notice = event.text;
    setTimeout(() => {
      if (state.notice === event.text) state.notice = '';
    }, NOTICE_MS);
    showStatus();
  },
  report(event) {
    state.report = event;
    const now = event.seats[0]?.shown ?? 0;
    if (now !== shown) shownAt = performance.now();
    wasSeen ||= now > 0;
    shown = now;
    showStatus();
  },
};

// ---- sound

function hear(/** @type {boolean} */ on) {
  state.sound = on;
  worker?.postMessage({do: 'hear', on});
  element('watch-sound').textContent = on ? tr('Mute') : tr('Turn sound on');
}

function beginSound(/** @type {Worker} */ to) {
  audio = newOutput();
  volume = audio.createGain();
  meter = audio.createAnalyser();
  volume.connect(meter).connect(audio.destination);
  openSpeaker(audio, to, volume).then(() => hear(audio !== null), (why) =>
      events.notice({text: filled(tr('Nothing can be heard: {}'), why.message)}));
}

function changeVolume(/** @type {number} */ percent) {
  const slider = /** @type {HTMLInputElement} */ (element('watch-volume'));
  slider.value = String(percent);
  if (volume) volume.gain.value = Number(slider.value) / 100;
}

const volumeNow = () => Number(/** @type {HTMLInputElement} */ (element('watch-volume')).value);

function toggleSound() {
  // Where it waits for a press, that is what this one is for.
  if (audio?.state === 'suspended') audio.resume();
  else hear(!state.sound);
}

// ---- what is pressed

function toggleFull() {
  if (document.fullscreenElement) document.exitFullscreen();
  else element('watch').requestFullscreen?.();
}

const louder = () => changeVolume(volumeNow() + VOLUME_STEP);
const softer = () => changeVolume(volumeNow() - VOLUME_STEP);

// As in the window of the program.
/** @type {Record<string, () => void>} */
const keys = {
  m: toggleSound, f: toggleFull,
  '+': louder, '=': louder, '0': louder,
  '-': softer, '9': softer,
};

let idleTimer = 0;

function wake() {
  element('watch').classList.remove('idle');
  clearTimeout(idleTimer);
  idleTimer = setTimeout(() => element('watch').classList.add('idle'), IDLE_MS);
}

function listen() {
  element('watch-sound').addEventListener('click', toggleSound);
  element('watch-volume').addEventListener('input', () => changeVolume(volumeNow()));
  element('watch-full').addEventListener('click', toggleFull);
  addEventListener('fullscreenchange', () => {
    wake();
    element('watch-full').textContent =
        document.fullscreenElement ? tr('Leave full screen') : tr('Full screen');
  });
  element('screen').addEventListener('dblclick', toggleFull);
  element('watch-full').hidden = !document.fullscreenEnabled;
  addEventListener('keydown', (event) => {
    wake();
    if (!event.ctrlKey && !event.altKey && !event.metaKey) keys[event.key]?.();
  });
  addEventListener('pointermove', wake);
  addEventListener('pagehide', () => worker?.postMessage({do: 'leave'}));
}

/** `lacking`: what this browser lacks, in a sentence; empty: nothing. */
export function beginWatch(/** @type {string} */ token, /** @type {string} */ lacking) {
  Object.assign(window, {qvid: state});
  const name = watchedName() ?? '';
  document.title = `${name} – Qvid`;
  if (lacking) return over(tr('This browser cannot watch'), lacking, false);
  show('watch');
  listen();
  worker = new Worker('/web/worker.js', {type: 'module'});
  worker.onmessage = ({data}) => events[data.event]?.(data);
  worker.onerror = (why) =>
      events.status({state: 'failed', reason: why.message || 'the worker ended.'});
  const picture = /** @type {HTMLCanvasElement} */ (element('watch-picture'));
  const canvas = picture.transferControlToOffscreen();
  worker.postMessage({do: 'canvas', viewer: 1, seat: 0, canvas}, [canvas]);
  worker.postMessage({do: 'watch', options: {
    name, token,
    host: location.hostname,
    port: Number(location.port) || (location.protocol === 'https:' ? 443 : 80),
  }});
  beginSound(worker);
}
