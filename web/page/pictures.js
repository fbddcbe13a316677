// The pictures of others: the browser's decoders, and the canvases that the page has handed over. When a
// decoder is begun again after a failure, the engines say (web/engine/web_playback.h).
//
// @ts-check
import {engines, tellSeldom} from './engines.js';

/** @type {Map<number, {decoder: VideoDecoder, tickets: Set<number>, worked: boolean}>} */
const decoders = new Map();
/** @type {Map<number, VideoFrame>} */
const pictures = new Map();
/** @type {Map<string, {canvas: OffscreenCanvas, context: OffscreenCanvasRenderingContext2D}>} */
const canvases = new Map();
let lastPicture = 0;

/** Of a decoder: what it was given and has not answered has failed. */
function failAll(/** @type {number} */ number, /** @type {any} */ why) {
  const entry = decoders.get(number);
  if (!entry) return;
  console.warn('qvid: a decoder:', why.message);
  if (!entry.worked) tellSeldom('decoder', 'This browser could not decode a picture of another.');
  decoders.delete(number);
  if (entry.decoder.state !== 'closed') entry.decoder.close();
  for (const ticket of entry.tickets) engines._qvid_decoded(ticket, 0, 0, 0);
}

function newDecoder(/** @type {number} */ number, /** @type {string} */ codec) {
  /** @type {Set<number>} */
  const tickets = new Set();
  const decoder = new VideoDecoder({
    output: (frame) => {
      const ticket = frame.timestamp;
      if (!tickets.delete(ticket)) return frame.close();
      entry.worked = true;
      const picture = ++lastPicture;
      pictures.set(picture, frame);
      engines._qvid_decoded(ticket, picture, frame.displayWidth, frame.displayHeight);
    },
    error: (why) => {
      if (decoders.get(number) === entry) failAll(number, why);
    },
  });
  const entry = {decoder, tickets, worked: false};
  decoders.set(number, entry);
  decoder.configure({codec, optimizeForLatency: true});
  return entry;
}

/** Of what engine/browser.h declares. */
export const pictureHost = {
  decode(/** @type {number} */ number, /** @type {number} */ ticket, /** @type {boolean} */ key,
         /** @type {string} */ codec, /** @type {Uint8Array} */ bytes) {
    try {
      const entry = decoders.get(number) ?? newDecoder(number, codec);
      entry.tickets.add(ticket);
      entry.decoder.decode(
          new EncodedVideoChunk({type: key ? 'key' : 'delta', timestamp: ticket, data: bytes}));
    } catch (why) {
      queueMicrotask(() => {
        if (decoders.get(number)?.tickets.delete(ticket) !== undefined) failAll(number, why);
        engines._qvid_decoded(ticket, 0, 0, 0);
      });
    }
  },
  decoderEnd(/** @type {number} */ number) {
    const entry = decoders.get(number);
    decoders.delete(number);
    if (entry && entry.decoder.state !== 'closed') entry.decoder.close();
  },

  pictureShow(/** @type {number} */ viewer, /** @type {number} */ seat,
              /** @type {number} */ number, /** @type {number} */ width,
              /** @type {number} */ height) {
    const place = canvases.get(`${viewer}:${seat}`);
    const picture = pictures.get(number);
    if (!place || !picture) return;
    if (place.canvas.width !== width || place.canvas.height !== height) {
      place.canvas.width = width;
      place.canvas.height = height;
    }
    place.context.drawImage(picture, 0, 0, width, height);
  },
  pictureWipe(/** @type {number} */ viewer, /** @type {number} */ seat) {
    const place = canvases.get(`${viewer}:${seat}`);
    place?.context.clearRect(0, 0, place.canvas.width, place.canvas.height);
  },
  pictureFree(/** @type {number} */ number) {
    pictures.get(number)?.close();
    pictures.delete(number);
  },
};

export function addCanvas(/** @type {number} */ viewer, /** @type {number} */ seat,
                          /** @type {OffscreenCanvas} */ canvas) {
  const context = canvas.getContext('2d', {alpha: false, desynchronized: true});
  if (context) canvases.set(`${viewer}:${seat}`, {canvas, context});
}
