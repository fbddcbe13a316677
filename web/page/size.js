// How large the own pictures are made, by what the rate is good for.
//
// @ts-check

// What smaller rates are good for, in pixels of the longer side and macroblocks; level 3.1 has 3600 of these,
// level 4 has 8192. What is shared is to be read: fewer pictures rather than smaller ones.
export const CAMERA_SIZES = [{above: 900000, side: 1280, blocks: 3600},
                             {above: 350000, side: 640, blocks: 920},
                             {above: 0, side: 480, blocks: 510}];
export const SHARE_SIZES = [{above: 500000, side: 1920, blocks: 8192},
                            {above: 0, side: 1280, blocks: 3600}];

// Each size begins with a key frame, which takes many times a picture's share of the rate: a larger one has
// to have been in reach for so long. A rate that finds its way would have several a second.
const LARGER_AFTER = 2000;  // ms

export const blocksOf = (/** @type {number} */ width, /** @type {number} */ height) =>
    Math.ceil(width / 16) * Math.ceil(height / 16);
const even = (/** @type {number} */ side) => Math.max(16, 2 * Math.round(side / 2));

export class SizeChoice {
  constructor(/** @type {typeof CAMERA_SIZES} */ sizes) {
    this.sizes = sizes;
    this.step = -1;  // of these; below 0: none yet
    this.room = -1;  // since when the rate has been good for a larger one, ms; below 0: it is not
  }

  /** To be told each time: `rate` in bits a second, `now` in ms. */
  choose(/** @type {number} */ rate, /** @type {number} */ now) {
    const fits = this.sizes.findIndex((size) => rate > size.above);
    if (this.step < 0 || fits >= this.step) {
      this.step = fits;
      this.room = -1;
      return;
    }
    if (this.room < 0) this.room = now;
    if (now - this.room < LARGER_AFTER) return;
    this.step = fits;
    this.room = -1;
  }

  /** A picture of the source's own shape. */
  of(/** @type {number} */ frameWidth, /** @type {number} */ frameHeight) {
    const most = this.sizes[this.step];
    let scale = Math.min(1, most.side / Math.max(frameWidth, frameHeight));
    for (;; scale *= 0.98) {
      const width = even(frameWidth * scale);
      const height = even(frameHeight * scale);
      if (blocksOf(width, height) <= most.blocks) return {width, height};
    }
  }
}
