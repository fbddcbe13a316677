// How well what somebody sends comes here, as app/reception/link_meter.h counts it: the bars of a sign,
// and its words.
//
// @ts-check
import {filled, tr} from './words.js';

/** @typedef {{bars: number, words: string} | null} Link */

const inTens = (/** @type {number} */ ms) => 10 * Math.round(ms / 10);

/** Of a seat of pictures, as the report has it. @returns {Link} */
export function pictureLink(/** @type {any} */ seat) {
  const link = seat?.link;
  if (!link) return null;
  if (!link.comes) return {bars: link.bars, words: tr('no picture comes')};
  const words = link.whole ? tr('all layers, {:.0f} % lost, delay {:.0f} ms')
                           : tr('without the upper layer, {:.0f} % lost, delay {:.0f} ms');
  return {bars: link.bars,
          words: filled(words, Math.round(100 * link.loss), inTens(seat.playout_ms))};
}

/** Of who is heard and not seen. @returns {Link} */
export function soundLink(/** @type {any} */ seat) {
  const link = seat?.link;
  if (!link) return null;
  return {bars: link.bars, words: filled(tr('sound only: {:.0f} % lost, delay {:.0f} ms'),
                                         Math.round(100 * link.loss), inTens(seat.delay_ms))};
}

/** The own way to the broker. @returns {Link} */
export function ownLink(/** @type {any} */ report) {
  if (!report?.joined || report.interrupted) return {bars: 1, words: tr('no connection')};
  if (!report.bars) return null;
  return {bars: report.bars,
          words: filled(tr('{:.0f} ms to the broker and back'), inTens(report.rtt_ms))};
}

/** The sign at a tile's lower right; none where nothing is known. */
export function showLink(/** @type {HTMLElement} */ tile, /** @type {Link} */ link) {
  let sign = /** @type {HTMLElement | null} */ (tile.querySelector('.link'));
  if (!link) return sign?.remove();
  if (!sign) {
    sign = document.createElement('span');
    sign.setAttribute('role', 'img');
    for (let i = 0; i < 3; ++i) sign.append(document.createElement('i'));
    tile.append(sign);
  }
  sign.className = `link bars${link.bars}`;
  sign.title = link.words;
  sign.setAttribute('aria-label', link.words);
}
