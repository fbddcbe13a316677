// The worker of a call: the engines (guest.wasm), the WebSockets that they ask for, and the browser's
// codecs. Here nothing of the protocol is known: bytes are handed on.
//
//   page.js --{do: ...}--> here --{event: ...}--> page.js
//
// @ts-check
import createGuest from './guest.js';

const TURN_MS = 4;

/** @type {any} */
let engines;
/** @type {Map<number, WebSocket>} */
const sockets = new Map();
/** @type {Map<number, {decoder: VideoDecoder, tickets: Set<number>}>} */
const decoders = new Map();
/** @type {Map<number, VideoFrame>} */
const pictures = new Map();
/** @type {Map<string, {canvas: OffscreenCanvas, context: OffscreenCanvasRenderingContext2D}>} */
const canvases = new Map();
/** @type {Map<number, {decoder: AudioDecoder, waiting: {ticket: number, at: number}[], at: number}>} */
const soundDecoders = new Map();
/** Of the output: its port, and what it has of what it was sent. */
const speaker = {port: /** @type {MessagePort | null} */ (null), sent: 0, latencyMs: 0,
                 ahead: 960, starved: 0, changedAt: 0};
let lastSocket = 0;
let lastPicture = 0;

const serverUrl =
    `${self.location.protocol === 'https:' ? 'wss' : 'ws'}://${self.location.host}/paceline`;

/** Calls a function of the engines with bytes in their memory. */
function withBytes(bytes, call) {
  const at = engines._malloc(Math.max(bytes.length, 1));
  engines.HEAPU8.set(bytes, at);
  try {
    return call(at, bytes.length);
  } finally {
    engines._free(at);
  }
}

function withText(text, call) {
  const bytes = new TextEncoder().encode(`${text}\0`);
  return withBytes(bytes, call);
}

/** Of a decoder: what it was given and has not answered has failed. */
function failAll(number) {
  const entry = decoders.get(number);
  if (!entry) return;
  decoders.delete(number);
  if (entry.decoder.state !== 'closed') entry.decoder.close();
  for (const ticket of entry.tickets) engines._qvid_decoded(ticket, 0, 0, 0);
}

function newDecoder(number, codec) {
  /** @type {Set<number>} */
  const tickets = new Set();
  const decoder = new VideoDecoder({
    output: (frame) => {
      const ticket = frame.timestamp;
      if (!tickets.delete(ticket)) return frame.close();
      const picture = ++lastPicture;
      pictures.set(picture, frame);
      engines._qvid_decoded(ticket, picture, frame.displayWidth, frame.displayHeight);
    },
    error: (why) => {
      console.warn('qvid: a decoder:', why.message);
      failAll(number);
    },
  });
  const entry = {decoder, tickets};
  decoders.set(number, entry);
  decoder.configure({codec, optimizeForLatency: true});
  return entry;
}

// Stereo, interleaved, whatever the decoder gives.
function interleaved(/** @type {AudioData} */ data) {
  const frames = data.numberOfFrames;
  const left = new Float32Array(frames);
  data.copyTo(left, {planeIndex: 0, format: 'f32-planar'});
  let right = left;
  if (data.numberOfChannels > 1) {
    right = new Float32Array(frames);
    data.copyTo(right, {planeIndex: 1, format: 'f32-planar'});
  }
  const stereo = new Float32Array(2 * frames);
  for (let i = 0; i < frames; ++i) {
    stereo[2 * i] = left[i];
    stereo[2 * i + 1] = right[i];
  }
  return stereo;
}

// Decoders count the time of what they give from their first packet on, by the samples: so each packet
// begins, for the decoder, where the one before ends, and is known again by that.
const NEAR_US = 1200;

function newSoundDecoder(/** @type {number} */ number) {
  /** @type {{ticket: number, at: number}[]} */
  const waiting = [];
  const decoder = new AudioDecoder({
    output: (data) => {
      while (waiting.length > 0 && waiting[0].at < data.timestamp - NEAR_US) {
        engines._qvid_sound_decoded(waiting.shift().ticket, 0, 0);
      }
      if (waiting.length === 0 || waiting[0].at > data.timestamp + NEAR_US) return data.close();
      const {ticket} = waiting.shift();
      const stereo = interleaved(data);
      data.close();
      withBytes(new Uint8Array(stereo.buffer), (at) =>
          engines._qvid_sound_decoded(ticket, at, stereo.length / 2));
    },
    error: (why) => {
      console.warn('qvid: a sound decoder:', why.message);
      soundDecoders.delete(number);
      for (const {ticket} of waiting) engines._qvid_sound_decoded(ticket, 0, 0);
    },
  });
  decoder.configure({codec: 'opus', sampleRate: 48000, numberOfChannels: 2});
  const entry = {decoder, waiting, at: 0};
  soundDecoders.set(number, entry);
  return entry;
}

const TURN_FRAMES = 480;

// Frames that wait in the output: by how much this worker may be late. More as soon as the output had
// nothing, less after it has had enough for a while.
const AHEAD = {least: 960, most: 4800, step: 480, calmMs: 10000};

/** The output has played so many frames since it began, and had nothing so many times. */
function fillSpeaker(/** @type {number} */ played, /** @type {number} */ starved) {
  const now = performance.now();
  if (starved > speaker.starved) {
    if (speaker.sent > 0) speaker.ahead = Math.min(speaker.ahead + AHEAD.step, AHEAD.most);
    speaker.changedAt = now;
  } else if (now - speaker.changedAt > AHEAD.calmMs) {
    speaker.ahead = Math.max(speaker.ahead - AHEAD.step / 2, AHEAD.least);
    speaker.changedAt = now;
  }
  speaker.starved = starved;
  while (speaker.port && speaker.sent - played < speaker.ahead) {
    const heardInMs = (speaker.sent - played) / 48 + speaker.latencyMs;
    const at = engines._qvid_sound_turn(heardInMs);
    if (!at) return;
    const stereo = engines.HEAPU8.slice(at, at + TURN_FRAMES * 8);
    speaker.port.postMessage(stereo.buffer, [stereo.buffer]);
    speaker.sent += TURN_FRAMES;
  }
}

// What engine/browser.h declares. None of these calls the engines before it has returned.
const host = {
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
  socketSend(number, bytes) {
    const socket = sockets.get(number);
    if (!socket || socket.readyState !== WebSocket.OPEN) return 0;
    socket.send(bytes);
    return socket.bufferedAmount;
  },
  socketWaiting(number) {
    return sockets.get(number)?.bufferedAmount ?? 0;
  },
  socketClose(number) {
    const socket = sockets.get(number);
    sockets.delete(number);
    if (socket) socket.close();
  },

  event(json) {
    self.postMessage(JSON.parse(json));
  },

  decode(number, ticket, key, codec, bytes) {
    let entry = decoders.get(number);
    try {
      entry ??= newDecoder(number, codec);
      entry.tickets.add(ticket);
      entry.decoder.decode(
          new EncodedVideoChunk({type: key ? 'key' : 'delta', timestamp: ticket, data: bytes}));
    } catch (why) {
      console.warn('qvid: a decoder:', why.message);
      if (entry) queueMicrotask(() => failAll(number));
      else queueMicrotask(() => engines._qvid_decoded(ticket, 0, 0, 0));
    }
  },
  decoderEnd(number) {
    const entry = decoders.get(number);
    decoders.delete(number);
    if (entry && entry.decoder.state !== 'closed') entry.decoder.close();
  },

  pictureShow(viewer, seat, number, width, height) {
    const place = canvases.get(`${viewer}:${seat}`);
    const picture = pictures.get(number);
    if (!place || !picture) return;
    if (place.canvas.width !== width || place.canvas.height !== height) {
      place.canvas.width = width;
      place.canvas.height = height;
    }
    place.context.drawImage(picture, 0, 0, width, height);
  },
  pictureFree(number) {
    pictures.get(number)?.close();
    pictures.delete(number);
  },

  soundDecode(number, ticket, duration, bytes) {
    let entry = soundDecoders.get(number);
    try {
      entry ??= newSoundDecoder(number);
      entry.waiting.push({ticket, at: entry.at});
      entry.decoder.decode(
          new EncodedAudioChunk({type: 'key', timestamp: entry.at, duration, data: bytes}));
      entry.at += duration;
    } catch (why) {
      console.warn('qvid: a sound decoder:', why.message);
      queueMicrotask(() => engines._qvid_sound_decoded(ticket, 0, 0));
    }
  },
  soundDecoderEnd(number) {
    const entry = soundDecoders.get(number);
    soundDecoders.delete(number);
    if (entry && entry.decoder.state !== 'closed') entry.decoder.close();
  },

  camera(rate) {
    camera.rate = rate;
  },
};

// ---- what the guest sends

const camera = {
  rate: 0,  // bits a second; 0: nobody wants it
  /** @type {ReadableStreamDefaultReader<VideoFrame> | null} */
  reader: null,
  /** @type {VideoEncoder | null} */
  encoder: null,
  configured: '',
};

// By what the rate is good for; a picture of the camera's own shape.
function sizeFor(/** @type {number} */ rate, /** @type {VideoFrame} */ frame) {
  const most = rate > 900000 ? 1280 : rate > 350000 ? 640 : 480;
  const scale = Math.min(1, most / Math.max(frame.displayWidth, frame.displayHeight));
  const even = (/** @type {number} */ side) => Math.max(16, 2 * Math.round(side * scale / 2));
  return {width: even(frame.displayWidth), height: even(frame.displayHeight)};
}

function giveCoded(/** @type {EncodedVideoChunk} */ chunk, width, height) {
  const bytes = new Uint8Array(chunk.byteLength);
  chunk.copyTo(bytes);
  withBytes(bytes, (at, size) => engines._qvid_camera_encoded(
      chunk.timestamp, chunk.type === 'key' ? 1 : 0, width, height, at, size));
}

function endEncoder() {
  if (camera.encoder && camera.encoder.state !== 'closed') camera.encoder.close();
  camera.encoder = null;
  camera.configured = '';
}

/** True: it was configured anew, and begins with a key frame. */
function configureEncoder(/** @type {VideoFrame} */ frame) {
  const {width, height} = sizeFor(camera.rate, frame);
  const wanted = `${width}x${height} ${camera.rate}`;
  if (camera.encoder && camera.configured === wanted) return false;
  const resized = !camera.encoder || !camera.configured.startsWith(`${width}x${height} `);
  if (resized) endEncoder();
  camera.encoder ??= new VideoEncoder({
    output: (chunk) => giveCoded(chunk, width, height),
    error: (why) => {
      console.warn('qvid: the encoder:', why.message);
      endEncoder();
    },
  });
  camera.encoder.configure({
    codec: 'avc1.42e01f', width, height,
    bitrate: camera.rate, framerate: 30, latencyMode: 'realtime', bitrateMode: 'variable',
    avc: {format: 'annexb'},
  });
  camera.configured = wanted;
  return resized;
}

function encode(/** @type {VideoFrame} */ picture) {
  const answer = camera.rate === 0 ? 0 : engines._qvid_camera_picture();
  if (answer === 0) {
    if (camera.rate === 0) endEncoder();
    return picture.close();
  }
  const ticket = Math.abs(answer);
  try {
    const keyFrame = configureEncoder(picture) || answer < 0;
    const stamped = new VideoFrame(picture, {timestamp: ticket});
    picture.close();
    camera.encoder.encode(stamped, {keyFrame});
    stamped.close();
  } catch (why) {
    console.warn('qvid: the encoder:', why.message);
    endEncoder();
    engines._qvid_camera_encoded(ticket, 0, 0, 0, 0, 0);
  }
}

async function readCamera(/** @type {ReadableStream<VideoFrame>} */ frames) {
  const reader = frames.getReader();
  camera.reader = reader;
  for (;;) {
    const {value, done} = await reader.read();
    if (done || camera.reader !== reader) {
      value?.close();
      return;
    }
    encode(value);
  }
}

const microphone = {
  /** @type {MessagePort | null} */
  port: null,
  /** @type {AudioEncoder | null} */
  encoder: null,
  at: 0,  // µs, of the next samples, counted by them
};
const OPUS_RATE = 32000;

function newVoiceEncoder() {
  const encoder = new AudioEncoder({
    output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      const ageMs = (microphone.at - chunk.timestamp) / 1000;
      withBytes(bytes, (at, size) => engines._qvid_voice_encoded(ageMs, at, size));
    },
    error: (why) => {
      console.warn('qvid: the voice encoder:', why.message);
      microphone.encoder = null;
    },
  });
  encoder.configure({codec: 'opus', sampleRate: 48000, numberOfChannels: 1, bitrate: OPUS_RATE,
                     opus: {frameDuration: 20000, application: 'voip'}});
  return encoder;
}

/** 10 ms of one channel. */
function takeSamples(/** @type {ArrayBuffer} */ buffer) {
  const samples = new Float32Array(buffer);
  const wanted = withBytes(new Uint8Array(buffer), (at) =>
      engines._qvid_voice_samples(at, samples.length));
  const timestamp = microphone.at;
  microphone.at += samples.length * 1e6 / 48000;
  if (!wanted) {
    // Encoders count time by samples: after a gap one begins anew.
    if (microphone.encoder && microphone.encoder.state !== 'closed') microphone.encoder.close();
    microphone.encoder = null;
    return;
  }
  microphone.encoder ??= newVoiceEncoder();
  const data = new AudioData({format: 'f32-planar', sampleRate: 48000, numberOfChannels: 1,
                              numberOfFrames: samples.length, timestamp, data: samples});
  microphone.encoder.encode(data);
  data.close();
}

/** What page.js asks for. */
const requests = {
  join({options}) {
    withText(JSON.stringify(options), (at) => engines._qvid_join(at));
    setInterval(() => engines._qvid_turn(), TURN_MS);
  },
  canvas({viewer, seat, canvas}) {
    const context = canvas.getContext('2d', {alpha: false, desynchronized: true});
    if (context) canvases.set(`${viewer}:${seat}`, {canvas, context});
  },
  speaker({port, latencyMs}) {
    speaker.port = port;
    speaker.sent = 0;
    speaker.latencyMs = latencyMs;
    port.onmessage = ({data}) => fillSpeaker(data.played, data.starved);
  },
  camera({frames, port}) {
    camera.reader?.cancel().catch(() => {});
    camera.reader = null;
    engines._qvid_camera_on(frames || port ? 1 : 0);
    if (frames) readCamera(frames).catch(() => engines._qvid_camera_on(0));
    else if (port) port.onmessage = (/** @type {MessageEvent} */ message) => encode(message.data);
    else endEncoder();
  },
  microphone({port}) {
    microphone.port = port;
    engines._qvid_voice_on(port ? 1 : 0);
    if (port) port.onmessage = ({data}) => takeSamples(data);
  },
  mute({on}) {
    engines._qvid_mute(on ? 1 : 0);
  },
  latency({latencyMs}) {
    speaker.latencyMs = latencyMs;
  },
  say({text}) {
    withText(text, (at) => engines._qvid_say(at));
  },
  hand({up}) {
    engines._qvid_raise_hand(up ? 1 : 0);
  },
  leave() {
    engines._qvid_leave();
    // What tells the others has to get out before this worker ends.
    setTimeout(() => self.postMessage({event: 'status', state: 'left'}), 200);
  },
};

const ready = createGuest({host}).then((made) => {
  engines = made;
}, (why) => self.postMessage({event: 'status', state: 'broken', reason: String(why)}));

self.onmessage = async ({data}) => {
  await ready;
  if (engines) requests[data.do]?.(data);
};
