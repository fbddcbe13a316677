// The own voice: from the microphone's samples to the browser's encoder, and what it makes to the engines.
//
// @ts-check
import {Backoff, engines, tellSeldom, withBytes} from './engines.js';

const OPUS_RATE = 32000;

const voice = {
  /** @type {MessagePort | null} */
  port: null,
  /** @type {ReadableStreamDefaultReader<AudioData> | null} */
  reader: null,
  // By how much the latest samples came later than the promptest ones after they were captured.
  lateMs: 0,
  /** @type {AudioEncoder | null} */
  encoder: null,
  at: 0,  // µs, of the next samples, counted by them
  backoff: new Backoff(),
};

function endEncoder() {
  if (voice.encoder && voice.encoder.state !== 'closed') voice.encoder.close();
  voice.encoder = null;
}

function failed(/** @type {any} */ why) {
  console.warn('qvid: the voice encoder:', why.message);
  tellSeldom('voice encoder', 'Nobody hears you: this browser could not encode your voice. ' +
             'It is tried again.');
  voice.backoff.failed();
  endEncoder();
}

function newEncoder() {
  const encoder = new AudioEncoder({
    output: (chunk) => {
      voice.backoff.worked();
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      const ageMs = (voice.at - chunk.timestamp) / 1000 + voice.lateMs;
      withBytes(bytes, (at, size) => engines._qvid_voice_encoded(ageMs, at, size));
    },
    error: (why) => {
      if (voice.encoder === encoder) failed(why);
    },
  });
  voice.encoder = encoder;
  encoder.configure(/** @type {any} */ (
      {codec: 'opus', sampleRate: 48000, numberOfChannels: 1, bitrate: OPUS_RATE,
       opus: {frameDuration: 20000, application: 'voip'}}));
  return encoder;
}

/** Some of one channel. */
function takeSamples(/** @type {Float32Array} */ samples) {
  const answer = withBytes(new Uint8Array(samples.buffer), (at) =>
      engines._qvid_voice_samples(at, samples.length));
  if (answer & 2) tellSeldom('muted', 'You are muted: m to unmute, or hold space to talk');
  const timestamp = voice.at;
  voice.at += samples.length * 1e6 / 48000;
  // Encoders count time by samples: after a gap one begins anew.
  if (!(answer & 1) || !voice.backoff.may()) return endEncoder();
  let data = null;
  try {
    const encoder = voice.encoder ?? newEncoder();
    data = new AudioData({format: 'f32-planar', sampleRate: 48000, numberOfChannels: 1,
                          numberOfFrames: samples.length, timestamp, data: samples});
    encoder.encode(data);
  } catch (why) {
    failed(why);
  } finally {
    data?.close();
  }
}

// Of the first pieces Chromium does not know well when they were captured.
const SETTLES_MS = 1000;
const SPAN_MS = 2000;
const MOST_LATE_MS = 200;

/** By how much a piece is later than the promptest of this span of time and the one before it. */
class Lateness {
  constructor() {
    this.since = performance.now() + SETTLES_MS;
    this.least = this.before = Infinity;
  }
  /** `transitMs`: from its capture to here, on two clocks. */
  of(/** @type {number} */ transitMs) {
    const now = performance.now();
    if (now < this.since) return 0;
    if (now - this.since > SPAN_MS) {
      this.before = this.least;
      this.least = Infinity;
      this.since = now;
    }
    this.least = Math.min(this.least, transitMs);
    return Math.min(transitMs - Math.min(this.least, this.before), MOST_LATE_MS);
  }
}

/** What the microphone captured: of several channels their mean. */
function takePiece(/** @type {AudioData} */ piece, /** @type {Lateness} */ lateness) {
  voice.lateMs = lateness.of(performance.now() - piece.timestamp / 1000);
  const {numberOfFrames: frames, numberOfChannels: channels} = piece;
  const samples = new Float32Array(frames);
  const channel = new Float32Array(frames);
  for (let planeIndex = 0; planeIndex < channels; ++planeIndex) {
    piece.copyTo(channel, {planeIndex, format: 'f32-planar'});
    for (let i = 0; i < frames; ++i) samples[i] += channel[i] / channels;
  }
  piece.close();
  takeSamples(samples);
}

async function read(/** @type {ReadableStream<AudioData>} */ pieces) {
  const reader = pieces.getReader();
  voice.reader = reader;
  const lateness = new Lateness();
  for (;;) {
    const {value, done} = await reader.read();
    if (done || voice.reader !== reader) return value?.close();
    takePiece(value, lateness);
  }
}

/**
 * The microphone's samples, as a stream or one piece after the other; neither: there is no microphone any
 * more.
 * @param {MessagePort | undefined} port @param {ReadableStream<AudioData> | undefined} pieces
 */
export function setMicrophone(port, pieces) {
  if (voice.port) {
    voice.port.onmessage = null;
    voice.port.close();
  }
  voice.reader?.cancel().catch(() => {});
  voice.reader = null;
  voice.lateMs = 0;
  voice.port = port ?? null;
  engines._qvid_voice_on(port || pieces ? 1 : 0);
  if (pieces) read(pieces).catch(() => engines._qvid_voice_on(0));
  else if (port) port.onmessage = ({data}) => takeSamples(new Float32Array(data));
  else endEncoder();
}
