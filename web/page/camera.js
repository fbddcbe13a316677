// The own pictures: from the camera's frames to the browser's encoder, and what it makes to the engines.
//
// @ts-check
import {Backoff, engines, tellSeldom, withBytes} from './engines.js';

const camera = {
  rate: 0,  // bits a second; 0: nobody wants it
  /** @type {ReadableStreamDefaultReader<VideoFrame> | null} */
  reader: null,
  /** @type {MessagePort | null} */
  port: null,
  /** @type {VideoEncoder | null} */
  encoder: null,
  configured: '',
  backoff: new Backoff(),
};

// Level 3.1, in macroblocks, and what smaller rates are good for.
const SIZES = [{above: 900000, side: 1280, blocks: 3600}, {above: 350000, side: 640, blocks: 920},
               {above: 0, side: 480, blocks: 510}];

// By what the rate is good for; a picture of the camera's own shape.
function sizeFor(/** @type {number} */ rate, /** @type {VideoFrame} */ frame) {
  const {displayWidth, displayHeight} = frame;
  const most = SIZES.find((size) => rate > size.above) ?? SIZES[2];
  const even = (/** @type {number} */ side) => Math.max(16, 2 * Math.round(side / 2));
  let scale = Math.min(1, most.side / Math.max(displayWidth, displayHeight));
  for (;; scale *= 0.98) {
    const width = even(displayWidth * scale);
    const height = even(displayHeight * scale);
    if (Math.ceil(width / 16) * Math.ceil(height / 16) <= most.blocks) return {width, height};
  }
}

function giveCoded(/** @type {EncodedVideoChunk} */ chunk, /** @type {number} */ width,
                   /** @type {number} */ height) {
  camera.backoff.worked();
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

function failed(/** @type {any} */ why) {
  console.warn('qvid: the encoder:', why.message);
  tellSeldom('encoder', 'Nobody sees you: this browser could not encode your picture. ' +
             'It is tried again.');
  camera.backoff.failed();
  endEncoder();
}

/** True: it was configured anew, and begins with a key frame. */
function configureEncoder(/** @type {VideoFrame} */ frame) {
  const {width, height} = sizeFor(camera.rate, frame);
  const wanted = `${width}x${height} ${camera.rate}`;
  if (camera.encoder && camera.configured === wanted) return false;
  const resized = !camera.encoder || !camera.configured.startsWith(`${width}x${height} `);
  if (resized) endEncoder();
  if (!camera.encoder) {
    const encoder = new VideoEncoder({
      output: (chunk) => giveCoded(chunk, width, height),
      error: (why) => {
        if (camera.encoder === encoder) failed(why);
      },
    });
    camera.encoder = encoder;
  }
  camera.encoder.configure({
    codec: 'avc1.42e01f', width, height,
    bitrate: camera.rate, framerate: 30, latencyMode: 'realtime', bitrateMode: 'variable',
    avc: {format: 'annexb'},
  });
  camera.configured = wanted;
  return resized;
}

/** Takes the picture over. */
function encode(/** @type {VideoFrame} */ picture) {
  let stamped = null;
  let ticket = 0;
  try {
    if (camera.rate === 0) return endEncoder();
    if (!camera.backoff.may()) return;
    const answer = engines._qvid_camera_picture();
    if (answer === 0) return;
    ticket = Math.abs(answer);
    const keyFrame = configureEncoder(picture) || answer < 0;
    stamped = new VideoFrame(picture, {timestamp: ticket});
    camera.encoder?.encode(stamped, {keyFrame});
  } catch (why) {
    if (ticket === 0) throw why;  // the engines
    failed(why);
    engines._qvid_camera_encoded(ticket, 0, 0, 0, 0, 0);
  } finally {
    stamped?.close();
    picture.close();
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

export function setRate(/** @type {number} */ rate) {
  camera.rate = rate;
}

/**
 * The camera's frames, as a stream or one by one; neither: there is no camera any more. Each that came by
 * the port is answered, and asks for the next.
 */
export function setCamera(/** @type {ReadableStream<VideoFrame> | undefined} */ frames,
                          /** @type {MessagePort | undefined} */ port) {
  camera.reader?.cancel().catch(() => {});
  camera.reader = null;
  if (camera.port) camera.port.onmessage = ({data}) => data.close();
  camera.port = port ?? null;
  engines._qvid_camera_on(frames || port ? 1 : 0);
  if (frames) {
    readCamera(frames).catch(() => engines._qvid_camera_on(0));
  } else if (port) {
    port.onmessage = ({data}) => {
      encode(data);
      port.postMessage('taken');
    };
  } else {
    endEncoder();
  }
}
