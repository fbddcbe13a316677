// The page of a guest: joining, what the worker tells, and the end. What is seen of others is in
// layout.js, the own devices are in own.js; the call itself is in worker.js.
//
// window.qvid: the latest report and counters, for tests and for whoever asks.
//
// @ts-check
import {codecs, missing} from './browser.js';
import {addLine, beginChat, clearChat} from './chat.js';
import {bytesOf, element, MOST_NAME, notice, press, show, trouble} from './elements.js';
import {beginKeys} from './keys.js';
import {beginLarge} from './large.js';
import {beginLayout, layOut, setMembers, setReport, setSeat} from './layout.js';
import {newOutput, openSpeaker} from './output.js';
import {beginOwn, endOwn, ownState, setUsable, showDevices} from './own.js';
import {beginPeople, setLocked, setModerates, setPeople} from './people.js';
import {beginWatch, watchedName} from './watch.js';
import {filled, tr, translatePage} from './words.js';

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
  over(tr('The call has ended'), filled(tr('Something went wrong here: {}'), why));
}

let lost = false;  // it was a member, and is none since
let listed = false;  // who was there before has been told

function recorded(/** @type {string} */ text) {
  const by = state.members.filter(({records}) => records).map(({name}) => name).join(', ');
  return by ? filled(tr('RECORDED by {}: {}'), by, text) : text;
}

/** Who has come, gone or raised a hand since the members were told before. */
function tellChanges(/** @type {any[]} */ before, /** @type {any[]} */ now) {
  const old = new Map(before.map((member) => [member.name, member]));
  for (const {name, records, hand} of now) {
    const was = old.get(name);
    if (!was) notice(filled(records ? tr('{} joined, and records') : tr('{} joined'), name));
    if (hand > 0 && !(was?.hand > 0)) notice(filled(tr('{} raises a hand'), name));
    old.delete(name);
  }
  for (const name of old.keys()) notice(filled(tr('{} left'), name));
}

function statusText() {
  const {status, report, members} = state;
  switch (status.state) {
    case 'connecting':
      return tr('Connecting …');
    case 'waiting':
      return filled(lost ? tr('The connection was lost: {}. Trying again …')
                         : tr('Not connected: {}. Trying again …'), status.reason);
    case 'joined':
      if (report?.interrupted) return tr('The connection was lost, it comes back …');
      return recorded(members.length === 0 ? filled(tr('{}: nobody else is here yet'), room)
                                           : filled(tr('{}: {} are here'), room, members.length + 1));
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
        setModerates(event.moderates);
        state.report = null;
        lost = listed = false;
        break;
      case 'waiting':
        lost ||= before.state === 'joined';
        break;
      case 'ended':
        return over(tr('You are not in the room'), event.reason);
      case 'left':
        return over(tr('You have left'), filled(tr('The room {} goes on without you.'), room));
      case 'failed':
        return failed(event.reason);
      case 'broken':
        return over(tr('This does not work here'), event.reason, false);
    }
    showStatus();
  },
  members(event) {
    const before = state.members;
    state.members = event.of.filter((/** @type {any} */ member) => member.name !== ownName);
    if (listed && event.listed) tellChanges(before, state.members);
    listed = event.listed;
    showStatus();
    setMembers(state.members);
    setPeople(state.members);
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
    setLocked(event.on);
    notice(event.on ? tr('the room is locked: nobody else can join') : tr('the room is open again'));
  },
  held(event) {
    notice(event.on ? tr('who runs the room has muted you for all: raise your hand to speak')
                    : tr('who runs the room lets you speak again'));
  },
  refused(event) {
    notice(filled(tr('not done: {}'), event.reason));
  },
  notice(event) {
    state.notices.push(event.text);
    if (state.notices.length > 50) state.notices.shift();
    notice(tr(event.text));
  },
  report(event) {
    state.report = event;
    setReport(event);
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
  openSpeaker(audio, worker)
      .catch((why) => notice(filled(tr('Nothing can be heard: {}'), why.message)));
  element('own-name').textContent = filled(tr('{} (you)'), name);
  beginLayout(worker);
  beginPeople(worker, name);
  beginChat(worker);
  beginOwn(worker, audio);
}

// ---- what is pressed

// Empty: it can be one's name.
function wrongName(/** @type {string} */ name) {
  if (!name) return tr('Please enter your name.');
  return bytesOf(name) > MOST_NAME ? tr('This name is too long. Please enter a shorter one.') : '';
}

element('join').addEventListener('submit', (event) => {
  event.preventDefault();
  const name = /** @type {HTMLInputElement} */ (element('name')).value.trim().normalize('NFC');
  const wrong = wrongName(name);
  if (wrong) {
    trouble(wrong);
    element('name').setAttribute('aria-invalid', 'true');
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
  trouble(filled(tr('Something went wrong here: {}'), reason?.message ?? reason)));

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
translatePage();
element('start-title').textContent = filled(tr('Join {}'), room);
element('call-title').textContent = room;
beginKeys();
beginLarge(layOut);
const lacks = missing();
const lacking = lacks.length === 0 ? '' :
    filled(tr('It lacks {}. Chromium, Chrome or Edge from 95 on have what is needed; ' +
              'others were not tried.'), lacks.join(', '));
if (watchedName() !== null) {
  beginWatch(token, lacking);
} else if (lacking) {
  over(tr('This browser cannot join'), lacking, false);
} else if (bytesOf(room) > MOST_NAME) {
  over(tr('There is no such room'), tr('The name of the room in this address is too long.'), false);
} else {
  start();
}
