// The page of a guest: joining, what the worker tells, and the end. What is seen of others is in
// layout.js, the own devices are in own.js; the call itself is in worker.js.
//
// window.qvid: the latest report and counters, for tests and for whoever asks.
//
// @ts-check
import {codecs, missing} from './browser.js';
import {addLine, beginChat, clearChat} from './chat.js';
import {bytesOf, element, MOST_NAME, notice, press, show, trouble} from './elements.js';
import {beginLayout, setMembers, setSeat} from './layout.js';
import {newOutput, openSpeaker} from './output.js';
import {beginOwn, endOwn, ownState, setUsable, showDevices} from './own.js';
import {beginWatch, watchedName} from './watch.js';

const room = (() => {
  try {
    return decodeURIComponent(location.pathname.slice(1)).normalize('NFC') || 'room';
  } catch {
    return location.pathname.slice(1);
  }
})();
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
const NAME_KEY = 'qvid-name';

const state = {
  /** @type {any} */ report: null,
  /** @type {any} */ status: {state: 'start'},
  /** @type {any[]} */ members: [],
  /** @type {string[]} */ notices: [],
  get own() {
    return ownState();
  },
};
Object.assign(window, {qvid: state});

/** @type {Worker | null} */
let worker = null;
/** @type {AudioContext | null} */
let audio = null;
let ownName = '';

function over(/** @type {string} */ title, /** @type {string} */ text, again = true) {
  endOwn();
  audio?.close();
  audio = null;
  worker?.terminate();
  worker = null;
  element('over-title').textContent = title;
  element('over-text').textContent = text;
  element('again').hidden = !again;
  show('over');
}

function failed(/** @type {string} */ why) {
  over('The call has ended', `Something went wrong here: ${why}`);
}

let lost = false;  // it was a member before it waited

function statusText() {
  const {status, report, members} = state;
  switch (status.state) {
    case 'connecting':
      return 'Connecting …';
    case 'waiting':
      return `${lost ? 'The connection was lost' : 'Not connected'}: ${status.reason}. Trying again …`;
    case 'joined':
      if (report?.interrupted) return 'The connection was lost, it comes back …';
      if (members.length === 0) return `${room}: nobody else is here yet`;
      return `${room}: ${members.length + 1} are here`;
    default:
      return '';
  }
}

function showStatus() {
  const text = statusText();
  if (element('status').textContent !== text) element('status').textContent = text;
}

// What the worker tells.
/** @type {Record<string, (event: any) => void>} */
const events = {
  status(event) {
    const before = state.status;
    state.status = event;
    switch (event.state) {
      case 'joined':
        clearChat(event.chat);
        element('hand').hidden = !event.hands;
        state.report = null;
        break;
      case 'waiting':
        lost = before.state === 'joined';
        break;
      case 'ended':
        return over('You are not in the room', event.reason);
      case 'left':
        return over('You have left', `The room ${room} goes on without you.`);
      case 'failed':
        return failed(event.reason);
      case 'broken':
        return over('This does not work here', event.reason, false);
    }
    showStatus();
  },
  members(event) {
    state.members = event.of.filter((/** @type {any} */ member) => member.name !== ownName);
    showStatus();
    setMembers(state.members);
  },
  seat(event) {
    setSeat(event);
  },
  said(event) {
    addLine(event);
  },
  hand(event) {
    press('hand', event.up);
  },
  locked(event) {
    notice(event.on ? 'Nobody else can come in now' : 'Others can come in again');
  },
  notice(event) {
    state.notices.push(event.text);
    if (state.notices.length > 50) state.notices.shift();
    notice(event.text);
  },
  report(event) {
    state.report = event;
    showStatus();
  },
};

function join(/** @type {string} */ name) {
  ownName = name;
  show('call');
  worker = new Worker('/web/worker.js', {type: 'module'});
  worker.onmessage = ({data}) => events[data.event]?.(data);
  worker.onerror = (why) => failed(why.message || 'the worker ended.');
  const secure = location.protocol === 'https:';
  worker.postMessage({do: 'join', options: {
    room, name, token,
    host: location.hostname,
    port: Number(location.port) || (secure ? 443 : 80),
  }});
  audio = newOutput();
  openSpeaker(audio, worker).catch((why) => notice(`Nothing can be heard: ${why.message}`));
  element('own-name').textContent = `${name} (you)`;
  beginLayout(worker);
  beginChat(worker);
  beginOwn(worker, audio);
}

// ---- what is pressed

// Empty: it can be one's name.
function wrongName(/** @type {string} */ name) {
  if (!name) return 'Please enter your name.';
  return bytesOf(name) > MOST_NAME ? 'This name is too long. Please enter a shorter one.' : '';
}

element('join').addEventListener('submit', (event) => {
  event.preventDefault();
  const name = /** @type {HTMLInputElement} */ (element('name')).value.trim().normalize('NFC');
  const wrong = wrongName(name);
  if (wrong) {
    trouble(wrong);
    element('name').focus();
    return;
  }
  if (worker) return;
  try {
    localStorage.setItem(NAME_KEY, name);
  } catch { /* then it is asked again */ }
  join(name);
});
function leave() {
  endOwn();
  worker?.postMessage({do: 'leave'});
}
element('leave').addEventListener('click', leave);
element('again').addEventListener('click', () => location.reload());
element('hand').addEventListener('click', () => {
  const up = element('hand').getAttribute('aria-pressed') !== 'true';
  worker?.postMessage({do: 'hand', up});
});
addEventListener('pagehide', leave);
addEventListener('unhandledrejection', ({reason}) =>
  trouble(`Something went wrong here: ${reason?.message ?? reason}`));

// ---- the start

function start() {
  try {
    /** @type {HTMLInputElement} */ (element('name')).value = localStorage.getItem(NAME_KEY) ?? '';
  } catch { /* nothing is kept here */ }
  show('start');
  showDevices();
  element('name').focus();
  codecs().then(({picture, voice, text}) => {
    element('start-lacks').textContent = text;
    setUsable(picture, voice);
  });
}

document.title = `${room} – Qvid`;
element('start-room').textContent = room;
const lacks = missing();
const lacking = lacks.length === 0 ? '' :
    `It lacks ${lacks.join(', ')}. Chromium, Chrome or Edge from 95 on ` +
    'have what is needed; others were not tried.';
if (watchedName() !== null) {
  beginWatch(token, lacking);
} else if (lacking) {
  over('This browser cannot join', lacking, false);
} else if (bytesOf(room) > MOST_NAME) {
  over('There is no such room', 'The name of the room in this address is too long.', false);
} else {
  start();
}
