// What this browser has of what a call needs.
//
// @ts-check
import {tr} from './words.js';

// Without these nobody joins.
/** @returns {string[]} */
export function missing() {
  const lacks = [];
  if (!self.isSecureContext) lacks.push(tr('a secure connection (https)'));
  if (!('WebAssembly' in self)) lacks.push('WebAssembly');
  const codecs = ['VideoDecoder', 'VideoEncoder', 'AudioDecoder', 'AudioEncoder'];
  if (self.isSecureContext && !codecs.every((name) => name in self)) lacks.push('WebCodecs');
  if (!('OffscreenCanvas' in self)) lacks.push('OffscreenCanvas');
  return lacks;
}

async function has(/** @type {any} */ codec, /** @type {any} */ config) {
  try {
    return Boolean((await codec.isConfigSupported(config)).supported);
  } catch {
    return false;
  }
}

const H264 = 'avc1.42e01f';

/**
 * Which codecs there are. What is lacking, for a person: empty where there are all.
 * @returns {Promise<{picture: boolean, voice: boolean, text: string}>}
 */
export async function codecs() {
  const sound = {codec: 'opus', sampleRate: 48000};
  const [seen, heard, picture, voice] = await Promise.all([
    has(VideoDecoder, {codec: H264}),
    has(AudioDecoder, {...sound, numberOfChannels: 2}),
    has(VideoEncoder, {codec: H264, width: 640, height: 360, bitrate: 500000, framerate: 30,
                       latencyMode: 'realtime', avc: {format: 'annexb'}}),
    has(AudioEncoder, {...sound, numberOfChannels: 1, bitrate: 32000}),
  ]);
  const lacks = [];
  if (!seen) lacks.push(tr('You will not see the others: this browser does not decode H.264.'));
  if (!heard) lacks.push(tr('You will not hear the others: this browser does not decode Opus.'));
  if (!picture) lacks.push(tr('Others will not see you: this browser does not encode H.264.'));
  if (!voice) lacks.push(tr('Others will not hear you: this browser does not encode Opus.'));
  return {picture, voice, text: lacks.join(' ')};
}
