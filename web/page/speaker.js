// The output of a call: plays what worker.js sends, and tells how far it is. Where nothing is there in
// time it plays silence, which does not count.
//
// Bound: MOST_WAITING frames wait; what comes beyond is left.
//
// @ts-check
const MOST_WAITING = 48000;

class Speaker extends AudioWorkletProcessor {
  constructor() {
    super();
    /** @type {Float32Array[]} */
    this.waiting = [];
    this.waitingFrames = 0;
    this.at = 0;  // frames of the first that were played
    this.played = 0;
    this.starved = 0;  // times that samples were missing
    this.least = 0;  // frames that waited, at the least since that was told
    this.quanta = 0;
    this.playing = false;
    /** @type {MessagePort | null} */
    this.worker = null;
    this.port.onmessage = ({data}) => {
      this.worker = data;
      data.onmessage = (/** @type {MessageEvent} */ message) => this.take(message.data);
    };
  }

  take(/** @type {ArrayBuffer} */ buffer) {
    if (this.waitingFrames > MOST_WAITING) return;
    const stereo = new Float32Array(buffer);
    this.waiting.push(stereo);
    this.waitingFrames += stereo.length / 2;
  }

  process(/** @type {Float32Array[][]} */ _inputs, /** @type {Float32Array[][]} */ outputs) {
    const [left, right] = outputs[0];
    let i = 0;
    for (; i < left.length && this.waiting.length > 0; ++i) {
      const first = this.waiting[0];
      left[i] = first[2 * this.at];
      if (right) right[i] = first[2 * this.at + 1];
      ++this.played;
      --this.waitingFrames;
      if (++this.at === first.length / 2) {
        this.at = 0;
        this.waiting.shift();
      }
    }
    // Counted once, until there is something again.
    const short = i < left.length;
    if (short && (this.playing || i > 0)) ++this.starved;
    this.playing = !short;
    this.least = Math.min(this.least, this.waitingFrames);
    if (++this.quanta % 2 === 0) {
      const {played, starved, least} = this;
      this.worker?.postMessage({played, starved, least});
      this.least = this.waitingFrames;
    }
    return true;
  }
}

registerProcessor('qvid-speaker', Speaker);
