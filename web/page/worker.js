// The worker of a call: the engines (guest.wasm), the WebSockets that they ask for, and the browser's
// codecs (pictures.js, sounds.js, encoders.js, voice.js). Here nothing of the protocol is known: bytes are
// handed on.
//
//   page.js --{do: ...}--> here --{event: ...}--> page.js
//
// @ts-check
import {camera, share} from './encoders.js';
import {engines, setEngines, withBytes, withText} from './engines.js';
import createGuest from './guest.js';
import {addCanvas, pictureHost} from './pictures.js';
import {setLatency, setSpeaker, soundHost} from './sounds.js';
import {setMicrophone} from './voice.js';

const TURN_MS = 4;

/** @type {Map<number, WebSocket>} */
const sockets = new Map();
let lastSocket = 0;

const serverUrl =
    `${self.location.protocol === 'https:' ? 'wss' : 'ws'}://${self.location.host}/paceline`;

// What engine/browser.h declares. None of these calls the engines before it has returned.
const host = {
  ...pictureHost,
  ...soundHost,

  socketOpen() {
    const number = ++lastSocket;
    const socket = new WebSocket(serverUrl, 'paceline.2');
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => engines._qvid_socket_open(number);
    socket.onmessage = ({data}) => {
      if (!(data instanceof ArrayBuffer)) return;
      withBytes(new Uint8Array(data), (at, size) => engines._qvid_socket_message(number, at, size));
    };
    socket.onclose = () => {
      if (sockets.delete(number)) engines._qvid_socket_closed(number);
    };
    sockets.set(number, socket);
    return number;
  },
  socketSend(/** @type {number} */ number, /** @type {Uint8Array} */ bytes) {
    const socket = sockets.get(number);
    if (!socket || socket.readyState !== WebSocket.OPEN) return 0;
    socket.send(bytes);
    return socket.bufferedAmount;
  },
  socketWaiting(/** @type {number} */ number) {
    return sockets.get(number)?.bufferedAmount ?? 0;
  },
  socketClose(/** @type {number} */ number) {
    const socket = sockets.get(number);
    sockets.delete(number);
    if (socket) socket.close();
  },

  event(/** @type {string} */ json) {
    self.postMessage(JSON.parse(json));
  },

  ownRate(/** @type {boolean} */ ofShare, /** @type {number} */ rate) {
    (ofShare ? share : camera).rate = rate;
  },
};

// What page.js asks for.
/** @type {Record<string, (request: any) => void>} */
const requests = {
  join({options}) {
    withText(JSON.stringify(options), (at) => engines._qvid_join(at));
    setInterval(() => engines._qvid_turn(), TURN_MS);
  },
  watch({options}) {
    withText(JSON.stringify(options), (at) => engines._qvid_watch(at));
    setInterval(() => engines._qvid_turn(), TURN_MS);
  },
  hear({on}) {
    engines._qvid_hear(on ? 1 : 0);
  },
  canvas({viewer, seat, canvas}) {
    addCanvas(viewer, seat, canvas);
  },
  speaker({port, latencyMs}) {
    setSpeaker(port, latencyMs);
  },
  camera({frames, port}) {
    camera.set(frames, port);
  },
  share({frames, port}) {
    share.set(frames, port);
  },
  microphone({port, pieces}) {
    setMicrophone(port, pieces);
  },
  mute({on}) {
    engines._qvid_mute(on ? 1 : 0);
  },
  latency({latencyMs}) {
    setLatency(latencyMs);
  },
  say({text}) {
    withText(text, (at) => engines._qvid_say(at));
  },
  hand({up}) {
    engines._qvid_raise_hand(up ? 1 : 0);
  },
  volume({name, volume}) {
    withText(name, (at) => engines._qvid_volume(at, volume));
  },
  administer({request}) {
    withText(JSON.stringify(request), (at) => engines._qvid_administer(at));
  },
  leave() {
    engines._qvid_leave();
    // What tells the others has to get out before this worker ends.
    setTimeout(() => self.postMessage({event: 'status', state: 'left'}), 200);
  },
};

// As an exception that nobody caught, of which the page hears by itself.
self.addEventListener('unhandledrejection', ({reason}) => {
  self.postMessage({event: 'status', state: 'failed', reason: String(reason?.message ?? reason)});
});

const ready = createGuest({host}).then(setEngines, (/** @type {any} */ why) => self.postMessage(
    {event: 'status', state: 'broken', reason: String(why)}));

self.onmessage = async ({data}) => {
  await ready;
  if (engines) requests[data.do]?.(data);
};
