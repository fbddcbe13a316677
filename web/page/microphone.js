// The microphone of a call: its samples, one channel, to worker.js in pieces of 10 ms.
//
// @ts-check
const PIECE = 480;

class Microphone extends AudioWorkletProcessor {
  constructor() {
    super();
    this.piece = new Float32Array(PIECE);
    this.filled = 0;
    /** @type {MessagePort | null} */
    this.worker = null;
    this.port.onmessage = ({data}) => {
      this.worker = data;
    };
  }

  process(/** @type {Float32Array[][]} */ inputs) {
    const samples = inputs[0][0];
    if (!samples) return true;
    for (let i = 0; i < samples.length; ++i) {
      this.piece[this.filled] = samples[i];
      if (++this.filled < PIECE) continue;
      this.worker?.postMessage(this.piece.buffer, [this.piece.buffer]);
      this.piece = new Float32Array(PIECE);
      this.filled = 0;
    }
    return true;
  }
}

registerProcessor('qvid-microphone', Microphone);
