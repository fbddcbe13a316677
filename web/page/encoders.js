// The own pictures: from frames of the camera, and of what is shared, to the browser's encoder, and what it
// makes to the engines.
//
// @ts-check
import {Backoff, engines, tellSeldom, withBytes} from './engines.js';
import {blocksOf, CAMERA_SIZES, SHARE_SIZES, SizeChoice} from './size.js';

const LEVEL_31_BLOCKS = 3600;

// What stands still is given to the encoder again: for who comes later, and it gets sharper.
const AGAIN_MS = 200;

const H264 = {codec: 'avc1.42e01f', framerate: 30, latencyMode: 'realtime', bitrateMode: 'variable',
              avc: {format: 'annexb'}};

// Of the camera's pictures every second one can be left out, where the encoder offers that.
let layers = {};
(async () => {
  const wanted = {scalabilityMode: 'L1T2'};
  const config = /** @type {any} */ ({...H264, ...wanted, width: 640, height: 360, bitrate: 500000});
  if ((await VideoEncoder.isConfigSupported(config)).supported) layers = wanted;
})().catch((why) => console.warn('qvid: temporal layers:', why));

class OwnPictures {
  constructor(/** @type {boolean} */ share) {
    this.share = share;
    this.rate = 0;  // bits a second; 0: nobody wants it
    /** @type {ReadableStreamDefaultReader<VideoFrame> | null} */
    this.reader = null;
    /** @type {MessagePort | null} */
    this.port = null;
    /** @type {VideoEncoder | null} */
    this.encoder = null;
    this.configured = '';
    this.size = new SizeChoice(share ? SHARE_SIZES : CAMERA_SIZES);
    this.backoff = new Backoff();
    /** Of what is shared. @type {VideoFrame | null} */
    this.latest = null;
    this.again = 0;  // a timer
  }

  giveCoded(/** @type {EncodedVideoChunk} */ chunk, /** @type {number} */ width,
            /** @type {number} */ height) {
    this.backoff.worked();
    const bytes = new Uint8Array(chunk.byteLength);
    chunk.copyTo(bytes);
    withBytes(bytes, (at, size) => engines._qvid_own_encoded(
        this.share, chunk.timestamp, chunk.type === 'key' ? 1 : 0, width, height, at, size));
  }

  endEncoder() {
    if (this.encoder && this.encoder.state !== 'closed') this.encoder.close();
    this.encoder = null;
    this.configured = '';
  }

  failed(/** @type {any} */ why) {
    console.warn('qvid: the encoder:', why.message);
    if (this.share) {
      tellSeldom('share encoder', 'Nobody sees what you share: this browser could not encode it. ' +
                 'It is tried again.');
    } else {
      tellSeldom('encoder', 'Nobody sees you: this browser could not encode your picture. ' +
                 'It is tried again.');
    }
    this.backoff.failed();
    this.endEncoder();
  }

  /** True: it was configured anew, and begins with a key frame. */
  configureEncoder(/** @type {VideoFrame} */ frame) {
    this.size.choose(this.rate, performance.now());
    const {width, height} = this.size.of(frame.displayWidth, frame.displayHeight);
    const wanted = `${width}x${height} ${this.rate}`;
    if (this.encoder && this.configured === wanted) return false;
    const resized = !this.encoder || !this.configured.startsWith(`${width}x${height} `);
    if (resized) this.endEncoder();
    if (!this.encoder) {
      const encoder = new VideoEncoder({
        output: (chunk) => this.giveCoded(chunk, width, height),
        error: (why) => {
          if (this.encoder === encoder) this.failed(why);
        },
      });
      this.encoder = encoder;
    }
    this.encoder.configure(/** @type {any} */ ({
      ...H264, width, height, bitrate: this.rate,
      ...(blocksOf(width, height) > LEVEL_31_BLOCKS && {codec: 'avc1.42e028'}),
      ...(this.share ? {contentHint: 'detail'} : layers),
    }));
    this.configured = wanted;
    return resized;
  }

  /** Takes the picture over. */
  encode(/** @type {VideoFrame} */ picture) {
    let stamped = null;
    let ticket = 0;
    try {
      if (this.rate === 0) return this.endEncoder();
      if (!this.backoff.may()) return;
      const answer = engines._qvid_own_picture(this.share);
      if (answer === 0) return;
      ticket = Math.abs(answer);
      const keyFrame = this.configureEncoder(picture) || answer < 0;
      stamped = new VideoFrame(picture, {timestamp: ticket});
      this.encoder?.encode(stamped, {keyFrame});
    } catch (why) {
      if (ticket === 0) throw why;  // the engines
      this.failed(why);
      engines._qvid_own_encoded(this.share, ticket, 0, 0, 0, 0, 0);
    } finally {
      stamped?.close();
      picture.close();
    }
  }

  /** Takes the picture over; none: there is none any more. */
  take(/** @type {VideoFrame | null} */ picture) {
    if (this.share) this.keep(picture?.clone() ?? null);
    if (picture) this.encode(picture);
  }

  keep(/** @type {VideoFrame | null} */ picture) {
    clearTimeout(this.again);
    this.latest?.close();
    this.latest = picture;
    if (picture) this.again = setTimeout(() => this.take(picture.clone()), AGAIN_MS);
  }

  async read(/** @type {ReadableStream<VideoFrame>} */ frames) {
    const reader = frames.getReader();
    this.reader = reader;
    for (;;) {
      const {value, done} = await reader.read();
      if (done || this.reader !== reader) {
        value?.close();
        return;
      }
      this.take(value);
    }
  }

  /**
   * The source's frames, as a stream or one by one; neither: there is no source any more. Each that came by
   * the port is answered, and asks for the next.
   */
  set(/** @type {ReadableStream<VideoFrame> | undefined} */ frames,
      /** @type {MessagePort | undefined} */ port) {
    this.reader?.cancel().catch(() => {});
    this.reader = null;
    if (this.port) this.port.onmessage = ({data}) => data.close();
    this.port = port ?? null;
    this.take(null);
    engines._qvid_own_on(this.share, frames || port ? 1 : 0);
    if (frames) {
      this.read(frames).catch(() => engines._qvid_own_on(this.share, 0));
    } else if (port) {
      port.onmessage = ({data}) => {
        this.take(data);
        port.postMessage('taken');
      };
    } else {
      this.endEncoder();
    }
  }
}

export const camera = new OwnPictures(false);
export const share = new OwnPictures(true);
