// The page of a guest: what is seen and pressed. The call itself is in worker.js; what others wrote is
// put into the page as text, never as markup.
//
// window.qvid: the latest report and counters, for tests and for whoever asks.
//
// @ts-check
import {openCamera, openMicrophone, reason, sendPictures, sendSound} from './devices.js';

/** @template {HTMLElement} T @returns {T} */
function element(/** @type {string} */ id) {
  return /** @type {T} */ (document.getElementById(id));
}

const room = (() => {
  try {
    return decodeURIComponent(location.pathname.slice(1)) || 'room';
  } catch {
    return location.pathname.slice(1);
  }
})();
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
const NAME_KEY = 'qvid-name';

/** @type {{report: any, status: any, members: any[], notices: string[]}} */
const state = {report: null, status: {state: 'start'}, members: [], notices: []};
Object.assign(window, {qvid: state});

/** @type {Worker | null} */
let worker = null;
let ownName = '';
let chatKnown = false;

// What this browser lacks: empty where it has all.
function missing() {
  const lacks = [];
  if (!self.isSecureContext) lacks.push('a secure connection (https)');
  if (!('WebAssembly' in self)) lacks.push('WebAssembly');
  const codecs = ['VideoDecoder', 'VideoEncoder', 'AudioDecoder', 'AudioEncoder'];
  if (self.isSecureContext && !codecs.every((name) => name in self)) lacks.push('WebCodecs');
  if (!('OffscreenCanvas' in self)) lacks.push('OffscreenCanvas');
  return lacks;
}

function show(/** @type {string} */ id) {
  for (const main of document.querySelectorAll('main')) main.hidden = main.id !== id;
  element(id).querySelector('h1')?.focus?.();
}

function over(/** @type {string} */ title, /** @type {string} */ text, again = true) {
  stop(own.camera);
  stop(own.microphone);
  audio?.close();
  audio = null;
  worker?.terminate();
  worker = null;
  element('over-title').textContent = title;
  element('over-text').textContent = text;
  element('again').hidden = !again;
  show('over');
}

// ---- the room

/** @type {Map<string, {tile: HTMLElement, canvas: HTMLCanvasElement | null, name: string}>} */
const tiles = new Map();

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

// A canvas is handed to the worker once, so it stays with its seat; the seat's name changes.
/** @type {Map<string, HTMLCanvasElement>} */
const canvases = new Map();

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

/** Who is where: `viewer:seat` to a name. @type {Map<string, string>} */
const seated = new Map();

function memberTiles() {
  const wanted = new Map();  // key: {name, canvas, member}
  const byName = new Map(state.members.map((member) => [member.name, member]));
  const pictured = new Set();
  for (const [key, name] of seated) {
    if (!name) continue;
    const [viewer, seat] = key.split(':').map(Number);
    const share = viewer === 3;
    if (!share) pictured.add(name);
    wanted.set(key, {name: share ? `${name} (shares)` : name, canvas: canvasOf(viewer, seat),
                     member: share ? undefined : byName.get(name)});
  }
  for (const member of state.members) {
    if (!pictured.has(member.name)) wanted.set(`name:${member.name}`, {name: member.name, member});
  }
  return wanted;
}

function layOut() {
  const wanted = memberTiles();
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

function setStatus(/** @type {string} */ text) {
  element('status').textContent = text;
}

function statusText() {
  const others = state.members.length;
  if (others === 0) return `${room}: nobody else is here yet`;
  return `${room}: ${others + 1} are here`;
}

/** What the worker tells. @type {Record<string, (event: any) => void>} */
const events = {
  status(event) {
    const before = state.status;
    state.status = event;
    switch (event.state) {
      case 'connecting':
        setStatus('Connecting …');
        break;
      case 'joined':
        chatKnown = event.chat;
        element('chat-button').hidden = !event.chat;
        element('hand').hidden = !event.hands;
        element('chat-lines').replaceChildren();
        setStatus(statusText());
        break;
      case 'waiting':
        setStatus(`${before.state === 'joined' ? 'The connection was lost' : 'Not connected'}: ` +
                  `${event.reason}. Trying again …`);
        break;
      case 'ended':
        over('You are not in the room', event.reason);
        break;
      case 'left':
        over('You have left', `The room ${room} goes on without you.`);
        break;
      case 'broken':
        over('This does not work here', event.reason, false);
        break;
    }
  },
  members(event) {
    state.members = event.of.filter((/** @type {any} */ member) => member.name !== ownName);
    if (state.status.state === 'joined') setStatus(statusText());
    layOut();
  },
  seat(event) {
    seated.set(`${event.viewer}:${event.seat}`, event.name);
    layOut();
  },
  said(event) {
    const line = document.createElement('li');
    const who = document.createElement('b');
    who.textContent = event.to ? `${event.from} to ${event.to}: ` : `${event.from}: `;
    line.append(who, document.createTextNode(event.text));
    const lines = element('chat-lines');
    lines.append(line);
    while (lines.childElementCount > 200) lines.firstElementChild?.remove();
    lines.scrollTop = lines.scrollHeight;
    if (element('chat').hidden && event.ago_s < 5) setStatus(`${event.from}: ${event.text}`);
  },
  hand(event) {
    element('hand').setAttribute('aria-pressed', String(event.up));
  },
  locked(event) {
    setStatus(event.on ? 'Nobody else can come in now' : 'Others can come in again');
  },
  notice(event) {
    state.notices.push(event.text);
    if (state.notices.length > 50) state.notices.shift();
    setStatus(event.text);
  },
  report(event) {
    state.report = event;
    if (state.status.state === 'joined' && event.interrupted) {
      setStatus('The connection was lost, it comes back …');
    }
  },
};

function join(/** @type {string} */ name) {
  ownName = name;
  show('call');
  worker = new Worker('/web/worker.js', {type: 'module'});
  worker.onmessage = ({data}) => events[data.event]?.(data);
  worker.onerror = (why) => over('This does not work here', why.message || 'The worker ended.', false);
  const secure = location.protocol === 'https:';
  worker.postMessage({do: 'join', options: {
    room, name, token,
    host: location.hostname,
    port: Number(location.port) || (secure ? 443 : 80),
  }});
  audio = new AudioContext({sampleRate: 48000, latencyHint: 'interactive'});
  openSpeaker().catch((why) => setStatus(`Nothing can be heard: ${why.message}`));
  element('own-name').textContent = `${name} (you)`;
  press('camera', own.camera !== null);
  showMuted();
  showOwn();
  if (own.camera) sendPictures(own.camera, worker);
  if (own.microphone) {
    sendSound(own.microphone, audio, worker)
        .catch((why) => setStatus(reason(why, 'microphone')));
  }
}

// ---- sound

/** @type {AudioContext | null} */
let audio = null;

const latencyMs = (/** @type {AudioContext} */ of) =>
    1000 * ((of.outputLatency || 0) + (of.baseLatency || 0));

// In the handler of a press, since browsers play nothing before one.
async function openSpeaker() {
  if (!audio) return;
  await audio.audioWorklet.addModule('/web/speaker.js');
  const speaker = new AudioWorkletNode(
      audio, 'qvid-speaker', {numberOfInputs: 0, outputChannelCount: [2]});
  speaker.connect(audio.destination);
  if (audio.state === 'suspended') await audio.resume();
  const {port1, port2} = new MessageChannel();
  speaker.port.postMessage(port1, [port1]);
  worker?.postMessage({do: 'speaker', port: port2, latencyMs: latencyMs(audio)}, [port2]);
  setInterval(() => {
    if (audio) worker?.postMessage({do: 'latency', latencyMs: latencyMs(audio)});
  }, 2000);
}

// ---- the own camera and microphone

/** @type {{camera: MediaStream | null, microphone: MediaStream | null}} */
const own = {camera: null, microphone: null};
let muted = false;

function stop(/** @type {MediaStream | null} */ stream) {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

function press(/** @type {string} */ id, /** @type {boolean} */ on) {
  element(id).setAttribute('aria-pressed', String(on));
}

function showOwn() {
  for (const video of document.querySelectorAll('#preview, #own video')) {
    /** @type {HTMLVideoElement} */ (video).srcObject = own.camera;
  }
  element('preview-text').hidden = own.camera !== null;
  element('own').hidden = own.camera === null;
  layOut();
}

/** True: it is as it was wanted. */
async function setCamera(/** @type {boolean} */ on, /** @type {(text: string) => void} */ tell) {
  if (!on) {
    stop(own.camera);
    own.camera = null;
    worker?.postMessage({do: 'camera'});
    showOwn();
    return true;
  }
  try {
    own.camera = await openCamera();
  } catch (why) {
    tell(reason(why, 'camera'));
    return false;
  }
  own.camera.getVideoTracks()[0].addEventListener('ended', () => {
    press('camera', false);
    setCamera(false, tell);
  });
  showOwn();
  if (worker) sendPictures(own.camera, worker);
  return true;
}

async function setMicrophone(/** @type {boolean} */ on,
                             /** @type {(text: string) => void} */ tell) {
  if (!on) {
    stop(own.microphone);
    own.microphone = null;
    worker?.postMessage({do: 'microphone'});
    return true;
  }
  try {
    own.microphone = await openMicrophone();
  } catch (why) {
    tell(reason(why, 'microphone'));
    return false;
  }
  if (worker && audio) await sendSound(own.microphone, audio, worker);
  return true;
}

function showMuted() {
  element('mute').textContent = own.microphone ? (muted ? 'Unmute' : 'Mute') : 'Speak';
  press('mute', own.microphone !== null && muted);
}

// The first press opens the microphone, where it was not; further ones mute it.
async function toggleMute() {
  if (!own.microphone) {
    muted = false;
    await setMicrophone(true, setStatus);
  } else {
    muted = !muted;
  }
  worker?.postMessage({do: 'mute', on: muted});
  showMuted();
}

// ---- what is pressed

element('join').addEventListener('submit', (event) => {
  event.preventDefault();
  const name = /** @type {HTMLInputElement} */ (element('name')).value.trim();
  if (!name) {
    element('start-trouble').textContent = 'Say by which name the others shall know you.';
    element('name').focus();
    return;
  }
  try {
    localStorage.setItem(NAME_KEY, name);
  } catch { /* then it is asked again */ }
  join(name);
});
element('mute').addEventListener('click', toggleMute);
element('camera').addEventListener('click', async () => {
  const on = own.camera === null;
  if (await setCamera(on, setStatus)) press('camera', on);
});
for (const [id, set] of /** @type {[string, typeof setCamera][]} */ (
    [['with-camera', setCamera], ['with-microphone', setMicrophone]])) {
  element(id).addEventListener('change', async () => {
    const box = /** @type {HTMLInputElement} */ (element(id));
    const tell = (/** @type {string} */ text) => {
      element('start-trouble').textContent = text;
    };
    tell('');
    if (!await set(box.checked, tell)) box.checked = false;
  });
}
element('leave').addEventListener('click', () => worker?.postMessage({do: 'leave'}));
element('again').addEventListener('click', () => location.reload());
element('hand').addEventListener('click', () => {
  const up = element('hand').getAttribute('aria-pressed') !== 'true';
  worker?.postMessage({do: 'hand', up});
});
element('chat-button').addEventListener('click', () => {
  const chat = element('chat');
  chat.hidden = !chat.hidden;
  element('chat-button').setAttribute('aria-expanded', String(!chat.hidden));
  if (!chat.hidden) element('chat-text').focus();
  layOut();
});
element('chat-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const input = /** @type {HTMLInputElement} */ (element('chat-text'));
  const text = input.value.trim();
  if (!text || !chatKnown) return;
  worker?.postMessage({do: 'say', text});
  input.value = '';
});
addEventListener('resize', layOut);
addEventListener('pagehide', () => worker?.postMessage({do: 'leave'}));

// ---- the start

document.title = `${room} – Qvid`;
element('start-room').textContent = room;
const lacks = missing();
if (location.pathname.startsWith('/watch/')) {
  over('A browser cannot watch this yet', 'What a server shows is watched with the program: qvid play. ' +
       'A browser can join the rooms of a broker.', false);
} else if (lacks.length > 0) {
  over('This browser cannot join', `It lacks ${lacks.join(', ')}. Chromium, Chrome, Edge and other ` +
       'browsers of that family from 94 on, Safari from 26 on and Firefox from 130 on (on desktops) ' +
       'have what is needed.', false);
} else {
  try {
    /** @type {HTMLInputElement} */ (element('name')).value = localStorage.getItem(NAME_KEY) ?? '';
  } catch { /* nothing is kept here */ }
  show('start');
  element('name').focus();
}
