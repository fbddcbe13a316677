// The sound of others: the browser's decoders, and the output of the page, which is kept filled.
//
// @ts-check
import {Backoff, engines, tellSeldom, withBytes} from './engines.js';

/** @type {Map<number, {decoder: AudioDecoder, waiting: {ticket: number, at: number}[], at: number}>} */
const decoders = new Map();
// Of decoders that failed.
/** @type {Map<number, Backoff>} */
const backoffs = new Map();
/** Of the output: its port, and what it has of what it was sent. */
const speaker = {port: /** @type {MessagePort | null} */ (null), sent: 0, latencyMs: 0,
                 ahead: 960, starved: 0, least: Infinity, calmSince: 0};

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

/** Of a decoder: what it was given and has not answered has failed. */
function failAll(/** @type {number} */ number, /** @type {any} */ why) {
  console.warn('qvid: a sound decoder:', why.message);
  tellSeldom('sound decoder', 'This browser could not decode the sound of another.');
  if (!backoffs.has(number)) backoffs.set(number, new Backoff());
  backoffs.get(number)?.failed();
  const entry = decoders.get(number);
  if (!entry) return;
  decoders.delete(number);
  if (entry.decoder.state !== 'closed') entry.decoder.close();
  for (const {ticket} of entry.waiting) engines._qvid_sound_decoded(ticket, 0, 0);
}

// Decoders count the time of what they give from their first packet on, by the samples: so each packet
// begins, for the decoder, where the one before ends, and is known again by that.
const NEAR_US = 1200;

function newDecoder(/** @type {number} */ number) {
  /** @type {{ticket: number, at: number}[]} */
  const waiting = [];
  const decoder = new AudioDecoder({
    output: (data) => {
      try {
        while (waiting.length > 0 && waiting[0].at < data.timestamp - NEAR_US) {
          engines._qvid_sound_decoded(waiting.shift()?.ticket, 0, 0);
        }
        if (waiting.length === 0 || waiting[0].at > data.timestamp + NEAR_US) return;
        const ticket = waiting.shift()?.ticket;
        const stereo = interleaved(data);
        backoffs.delete(number);
        withBytes(new Uint8Array(stereo.buffer), (at) =>
            engines._qvid_sound_decoded(ticket, at, stereo.length / 2));
      } finally {
        data.close();
      }
    },
    error: (why) => {
      if (decoders.get(number) === entry) failAll(number, why);
    },
  });
  const entry = {decoder, waiting, at: 0};
  decoders.set(number, entry);
  decoder.configure({codec: 'opus', sampleRate: 48000, numberOfChannels: 2});
  return entry;
}

/** Of what engine/browser.h declares. */
export const soundHost = {
  soundDecode(/** @type {number} */ number, /** @type {number} */ ticket,
              /** @type {number} */ duration, /** @type {Uint8Array} */ bytes) {
    const refuse = () => engines._qvid_sound_decoded(ticket, 0, 0);
    if (backoffs.get(number)?.may() === false) return queueMicrotask(refuse);
    try {
      const entry = decoders.get(number) ?? newDecoder(number);
      entry.decoder.decode(
          new EncodedAudioChunk({type: 'key', timestamp: entry.at, duration, data: bytes}));
      entry.waiting.push({ticket, at: entry.at});
      entry.at += duration;
    } catch (why) {
      queueMicrotask(() => {
        failAll(number, why);
        refuse();
      });
    }
  },
  soundDecoderEnd(/** @type {number} */ number) {
    const entry = decoders.get(number);
    decoders.delete(number);
    backoffs.delete(number);
    if (entry && entry.decoder.state !== 'closed') entry.decoder.close();
  },
};

const TURN_FRAMES = 480;

// Frames that wait in the output: by how much this worker may be late. More as soon as the output had
// nothing; after calmMs without that, as many less as never were of use, but for a margin.
const AHEAD = {least: 960, most: 4800, step: 480, margin: 480, calmMs: 10000};

function setAhead(/** @type {number} */ frames) {
  speaker.ahead = Math.min(Math.max(frames, AHEAD.least), AHEAD.most);
  speaker.least = Infinity;
  speaker.calmSince = performance.now();
}

/**
 * The output has played so many frames since it began, had nothing so many times, and since it told that
 * before `least` frames waited at the least.
 * @param {number} played @param {number} starved @param {number} least
 */
function fillSpeaker(played, starved, least) {
  if (starved > speaker.starved) {
    setAhead(speaker.ahead + (speaker.sent > 0 ? AHEAD.step : 0));
  } else {
    speaker.least = Math.min(speaker.least, least);
    if (performance.now() - speaker.calmSince > AHEAD.calmMs) {
      setAhead(speaker.ahead - Math.max(0, speaker.least - AHEAD.margin));
    }
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

export function setSpeaker(/** @type {MessagePort} */ port, /** @type {number} */ latencyMs) {
  speaker.port = port;
  speaker.sent = 0;
  speaker.latencyMs = latencyMs;
  setAhead(AHEAD.least);
  port.onmessage = ({data}) => fillSpeaker(data.played, data.starved, data.least);
}

export function setLatency(/** @type {number} */ latencyMs) {
  speaker.latencyMs = latencyMs;
}
