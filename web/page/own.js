// The own camera, microphone and screen: what is asked for, what is there, and the buttons that say so. A
// device that comes when nobody wants it any more is stopped at once.
//
// @ts-check
import {beginChoices, listDevices} from './choices.js';
import {canShare, openCamera, openMicrophone, openScreen, reason, SCREEN, sendPictures,
        sendSound} from './devices.js';
import {element, press, trouble} from './elements.js';
import {layOut} from './layout.js';
import {filled, tr} from './words.js';

function stop(/** @type {MediaStream | null} */ stream) {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

class Device {
  /** @param {string} name @param {() => Promise<MediaStream>} open */
  constructor(name, open) {
    this.name = name;
    this.open = open;
    this.usable = true;  // there is a codec for it
    this.wanted = false;
    /** @type {MediaStream | null} */
    this.stream = null;
    // The browser asks a person.
    /** @type {Promise<void> | null} */
    this.pending = null;
    // To the worker, or null: no more.
    /** @type {((stream: MediaStream | null) => any) | null} */
    this.send = null;
  }

  async set(/** @type {boolean} */ on) {
    this.wanted = on && this.usable;
    if (!this.wanted) {
      this.drop();
    } else if (!this.stream) {
      this.pending ??= this.ask();
      showDevices();
      await this.pending;
    }
    showDevices();
  }

  async ask() {
    try {
      const stream = await this.open();
      if (!this.wanted) return stop(stream);
      this.stream = stream;
      for (const track of stream.getTracks()) {
        track.addEventListener('ended', () => this.ended(stream));
      }
      listThem();  // by their names, from now on
      await this.send?.(stream);
    } catch (why) {
      if (this.wanted) trouble(reason(why, this.name));
      this.wanted = false;
      this.drop();
    } finally {
      this.pending = null;
    }
  }

  /** Another one is wanted in its place. */
  async again() {
    if (!this.stream || this.pending) return;
    this.drop();
    await this.set(true);
  }

  // Unplugged, or taken back; not where the page itself stopped it. Of the screen the browser has a button
  // for that.
  ended(/** @type {MediaStream} */ stream) {
    if (this.stream !== stream) return;
    trouble(this.name === SCREEN ? tr('You share nothing any more.') :
                                   filled(tr('{}: it has stopped.'), this.name));
    this.set(false);
  }

  drop() {
    if (!this.stream) return;
    stop(this.stream);
    this.stream = null;
    this.send?.(null);
  }

  async begin(/** @type {(stream: MediaStream | null) => any} */ send) {
    this.send = send;
    if (!this.stream) return;
    try {
      await send(this.stream);
    } catch (why) {
      trouble(reason(why, this.name));
      this.set(false);
    }
  }
}

const camera = new Device(tr('Camera'), openCamera);
const microphone = new Device(tr('Microphone'), openMicrophone);
const screen = new Device(SCREEN, openScreen);
let muted = false;
let talking = false;  // for the moment
/** @type {Worker | null} */
let toWorker = null;

/** While it is held one is heard, though muted. */
export function talk(/** @type {boolean} */ on) {
  if (!muted || microphone.stream === null || on === talking) return;
  talking = on;
  toWorker?.postMessage({do: 'mute', on: !on});
  showDevices();
}

/** For tests. */
export function ownState() {
  return {camera: camera.stream !== null, microphone: microphone.stream !== null,
          screen: screen.stream !== null, muted, talking};
}

function listThem() {
  listDevices((kind) => (kind === 'camera' ? camera : microphone).stream)
      .catch((why) => console.warn('qvid: devices:', why));
}

function showChoice(/** @type {string} */ id, /** @type {Device} */ device) {
  const box = /** @type {HTMLInputElement} */ (element(id));
  box.checked = device.wanted;
  box.disabled = device.pending !== null || !device.usable;
}

export function showDevices() {
  showChoice('with-camera', camera);
  showChoice('with-microphone', microphone);
  press('camera', camera.stream !== null);
  /** @type {HTMLButtonElement} */ (element('camera')).disabled =
      camera.pending !== null || !camera.usable;
  press('share', screen.stream !== null);
  element('share').hidden = !canShare;
  /** @type {HTMLButtonElement} */ (element('share')).disabled =
      screen.pending !== null || !screen.usable;
  const speaks = microphone.stream !== null;
  element('mute').textContent = speaks ? (muted ? tr('Unmute') : tr('Mute')) : tr('Speak');
  press('mute', speaks && muted && !talking);
  /** @type {HTMLButtonElement} */ (element('mute')).disabled =
      microphone.pending !== null || !microphone.usable;
  for (const video of document.querySelectorAll('#preview, #own video')) {
    const shown = /** @type {HTMLVideoElement} */ (video);
    if (shown.srcObject !== camera.stream) shown.srcObject = camera.stream;
  }
  element('preview-text').hidden = camera.stream !== null;
  element('own').hidden = camera.stream === null;
  layOut();
}

/** What others can get of this browser. */
export function setUsable(/** @type {boolean} */ picture, /** @type {boolean} */ voice) {
  camera.usable = picture;
  screen.usable = picture;
  microphone.usable = voice;
  if (!picture) camera.set(false);
  if (!voice) microphone.set(false);
  showDevices();
}

/** The call has begun: what is there is sent, and what comes. */
export function beginOwn(/** @type {Worker} */ worker, /** @type {AudioContext} */ audio) {
  for (const [device, does] of /** @type {[Device, 'camera' | 'share'][]} */ (
      [[camera, 'camera'], [screen, 'share']])) {
    device.begin((stream) => {
      if (stream) sendPictures(stream, worker, does);
      else worker.postMessage({do: does});
    });
  }
  microphone.begin((stream) =>
      stream ? sendSound(stream, audio, worker) : worker.postMessage({do: 'microphone'}));
  toWorker = worker;
  element('mute').addEventListener('click', () => {
    const speaks = microphone.stream !== null;
    // The first press opens the microphone, where it was not; further ones mute it.
    muted = speaks && !muted;
    talking = false;
    worker.postMessage({do: 'mute', on: muted});
    if (speaks) showDevices();
    else microphone.set(true);
  });
  element('camera').addEventListener('click', () => camera.set(camera.stream === null));
  element('share').addEventListener('click', () => screen.set(screen.stream === null));
  showDevices();
}

/** The call is over, or one wants it to be. */
export function endOwn() {
  for (const device of [camera, microphone, screen]) device.set(false);
}

beginChoices((kind) => (kind === 'camera' ? camera : microphone).again());
navigator.mediaDevices?.addEventListener?.('devicechange', listThem);
listThem();

for (const [id, device] of /** @type {[string, Device][]} */ (
    [['with-camera', camera], ['with-microphone', microphone]])) {
  element(id).addEventListener('change', () => {
    trouble('');
    device.set(/** @type {HTMLInputElement} */ (element(id)).checked);
  });
}
