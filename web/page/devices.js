// The guest's own camera, microphone and screen, on their way to worker.js.
//
// @ts-check
import {openChosen} from './choices.js';
import {filled, tr} from './words.js';

export const SCREEN = tr('Screen');

// Why a device is not there, in a sentence for a person.
/** @returns {string} */
export function reason(/** @type {any} */ why, /** @type {string} */ device) {
  if (device === SCREEN && ['NotAllowedError', 'NotReadableError'].includes(why?.name)) {
    return tr('Nothing is shared: it was not allowed.');  // by whoever was asked, or by the system
  }
  switch (why?.name) {
    case 'NotAllowedError':
      return filled(tr('{}: this page may not use it. Allow it beside the address above.'), device);
    case 'NotFoundError':
    case 'OverconstrainedError':
      return filled(tr('{}: there is none here.'), device);
    case 'NotReadableError':
      return filled(tr('{}: another program uses it.'), device);
    default:
      return filled(tr('{}: it does not work: {}'), device, why?.message ?? why);
  }
}

export function openCamera() {
  return openChosen('camera', {
    width: {ideal: 1280}, height: {ideal: 720}, frameRate: {ideal: 30, max: 30},
  });
}

/** Phones have none. */
export const canShare = Boolean(navigator.mediaDevices?.getDisplayMedia);

export async function openScreen() {
  const stream = await navigator.mediaDevices.getDisplayMedia(
      {video: {frameRate: {ideal: 30, max: 30}}, audio: false});
  // It is to be read: sharp rather than smooth.
  for (const track of stream.getVideoTracks()) track.contentHint = 'detail';
  return stream;
}

export function openMicrophone() {
  return openChosen('microphone', {
    channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true,
  });
}

/**
 * Sends the pictures of a stream to the worker as what it `does`, until its track ends. Where the
 * browser gives no stream of frames to a page, each is taken as it is shown.
 */
export function sendPictures(/** @type {MediaStream} */ stream, /** @type {Worker} */ worker,
                             /** @type {'camera' | 'share'} */ does) {
  const [track] = stream.getVideoTracks();
  const Processor = /** @type {any} */ (window).MediaStreamTrackProcessor;
  if (Processor) {
    const frames = new Processor({track, maxBufferSize: 2}).readable;
    worker.postMessage({do: does, frames}, [frames]);
    return;
  }
  const video = document.createElement('video');
  video.muted = true;
  video.srcObject = stream;
  const {port1, port2} = new MessageChannel();
  worker.postMessage({do: does, port: port2}, [port2]);
  let taken = true;  // the worker has no frame that it has not looked at
  port1.onmessage = () => {
    taken = true;
  };
  const take = () => {
    if (track.readyState !== 'live') return port1.close();
    video.requestVideoFrameCallback(take);
    if (!taken) return;
    try {
      const frame = new VideoFrame(video);
      port1.postMessage(frame, [frame]);
      taken = false;
    } catch (why) {
      console.warn(`qvid: a frame of the ${does}:`, why);
    }
  };
  video.requestVideoFrameCallback(take);
  video.play().catch((why) => console.warn(`qvid: the ${does}:`, why));
}

/**
 * Sends the sound of a stream to the worker, where it has not ended by then: as the browser captures it.
 * Where it gives no page that, or at another rate, through the output's clock, which resamples it. Chromium
 * keeps up to ten pieces on that way once the page was late, and plays none of it faster.
 * @param {MediaStream} stream @param {AudioContext} audio @param {Worker} worker
 */
export async function sendSound(stream, audio, worker) {
  const [track] = stream.getAudioTracks();
  const Processor = /** @type {any} */ (window).MediaStreamTrackProcessor;
  if (Processor && track.getSettings().sampleRate === audio.sampleRate) {
    const pieces = new Processor({track, maxBufferSize: 20}).readable;
    worker.postMessage({do: 'microphone', pieces}, [pieces]);
    return;
  }
  await audio.audioWorklet.addModule('/web/microphone.js');
  if (!stream.active) return;
  const source = audio.createMediaStreamSource(stream);
  const node = new AudioWorkletNode(audio, 'qvid-microphone',
                                    {numberOfOutputs: 0, channelCount: 1,
                                     channelCountMode: 'explicit'});
  source.connect(node);
  const {port1, port2} = new MessageChannel();
  node.port.postMessage(port1, [port1]);
  worker.postMessage({do: 'microphone', port: port2}, [port2]);
}
