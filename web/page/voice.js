// The own voice: from the microphone's samples to the browser's encoder, and what it makes to the engines.
//
// @ts-check
import {Backoff, engines, tellSeldom, withBytes} from './engines.js';

const OPUS_RATE = 32000;

const voice = {
  /** @type {MessagePort | null} */
  port: null,
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
      const ageMs = (voice.at - chunk.timestamp) / 1000;
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

/** 10 ms of one channel. */
function takeSamples(/** @type {ArrayBuffer} */ buffer) {
  const samples = new Float32Array(buffer);
  const wanted = withBytes(new Uint8Array(buffer), (at) =>
      engines._qvid_voice_samples(at, samples.length));
  const timestamp = voice.at;
  voice.at += samples.length * 1e6 / 48000;
  // Encoders count time by samples: after a gap one begins anew.
  if (!wanted || !voice.backoff.may()) return endEncoder();
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

/** The microphone's samples; none: there is no microphone any more. */
export function setMicrophone(/** @type {MessagePort | undefined} */ port) {
  if (voice.port) {
    voice.port.onmessage = null;
    voice.port.close();
  }
  voice.port = port ?? null;
  engines._qvid_voice_on(port ? 1 : 0);
  if (port) port.onmessage = ({data}) => takeSamples(data);
  else endEncoder();
}
