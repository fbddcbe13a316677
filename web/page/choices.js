// Which camera and which microphone: a list of each, where there are several and the browser names them,
// which it does once one of them was allowed. What was chosen is remembered.
//
// @ts-check
import {element} from './elements.js';

/** @typedef {'camera' | 'microphone'} Kind */
/** @type {[Kind, MediaDeviceKind][]} */
const KINDS = [['camera', 'videoinput'], ['microphone', 'audioinput']];

const keyOf = (/** @type {Kind} */ kind) => `qvid-${kind}`;
/** Device ids. @type {Map<Kind, string>} */
const chosen = new Map();
try {
  for (const [kind] of KINDS) chosen.set(kind, localStorage.getItem(keyOf(kind)) ?? '');
} catch { /* nothing is kept here */ }

/**
 * The one that was chosen; where it is not plugged in, another.
 * @param {Kind} kind @param {MediaTrackConstraints} wanted @returns {Promise<MediaStream>}
 */
export async function openChosen(kind, wanted) {
  const ask = (/** @type {MediaTrackConstraints} */ more) => navigator.mediaDevices.getUserMedia(
      {[kind === 'camera' ? 'video' : 'audio']: {...wanted, ...more}});
  const id = chosen.get(kind);
  if (!id) return ask({});
  try {
    return await ask({deviceId: {exact: id}});
  } catch (why) {
    if (/** @type {any} */ (why)?.name !== 'OverconstrainedError') throw why;
    return ask({});
  }
}

/** `open`: the one that is open, of which the list says so. */
export async function listDevices(/** @type {(kind: Kind) => MediaStream | null} */ open) {
  const devices = await navigator.mediaDevices?.enumerateDevices?.() ?? [];
  for (const [kind, is] of KINDS) {
    const named = devices.filter((one) => one.kind === is && one.label);
    const select = /** @type {HTMLSelectElement} */ (element(`${kind}-device`));
    select.replaceChildren(...named.map(({deviceId, label}) => new Option(label, deviceId)));
    element(`${kind}-choice`).hidden = named.length < 2;
    const wanted = open(kind)?.getTracks()[0]?.getSettings().deviceId ?? chosen.get(kind);
    if (wanted && named.some(({deviceId}) => deviceId === wanted)) select.value = wanted;
  }
}

/** `then`: another one was chosen. */
export function beginChoices(/** @type {(kind: Kind) => void} */ then) {
  for (const [kind] of KINDS) {
    element(`${kind}-device`).addEventListener('change', (event) => {
      const {value} = /** @type {HTMLSelectElement} */ (event.target);
      chosen.set(kind, value);
      try {
        localStorage.setItem(keyOf(kind), value);
      } catch { /* then it is chosen anew the next time */ }
      then(kind);
    });
  }
}
