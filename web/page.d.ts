// What the page uses of browsers and TypeScript's own lib.dom does not know yet (Debian 12's), and the
// module that emscripten makes. For `./run tidy` alone.

interface HTMLCanvasElement {
  transferControlToOffscreen(): OffscreenCanvas;
}
interface OffscreenCanvas extends EventTarget {
  width: number;
  height: number;
  getContext(kind: '2d', options?: object): OffscreenCanvasRenderingContext2D | null;
}
interface OffscreenCanvasRenderingContext2D {
  drawImage(picture: VideoFrame, x: number, y: number, width: number, height: number): void;
  clearRect(x: number, y: number, width: number, height: number): void;
}

// These can be handed over, too.
interface Worker {
  postMessage(message: any, transfer: (Transferable | OffscreenCanvas)[]): void;
}
interface MessagePort {
  postMessage(message: any, transfer: VideoFrame[]): void;
}

interface VideoFrame {
  readonly timestamp: number;
  readonly displayWidth: number;
  readonly displayHeight: number;
  clone(): VideoFrame;
  close(): void;
}
declare var VideoFrame: {new (picture: any, init?: {timestamp?: number}): VideoFrame};

interface AudioData {
  readonly timestamp: number;
  readonly numberOfFrames: number;
  readonly numberOfChannels: number;
  copyTo(to: ArrayBufferView, options: {planeIndex: number, format?: string}): void;
  close(): void;
}
declare var AudioData: {new (init: object): AudioData};

interface EncodedChunk {
  readonly type: 'key' | 'delta';
  readonly timestamp: number;
  readonly byteLength: number;
  copyTo(to: ArrayBufferView): void;
}
interface NewChunk {
  type: 'key' | 'delta';
  timestamp: number;
  duration?: number;
  data: Uint8Array;
}
interface EncodedVideoChunk extends EncodedChunk {}
interface EncodedAudioChunk extends EncodedChunk {}
declare var EncodedVideoChunk: {new (init: NewChunk): EncodedVideoChunk};
declare var EncodedAudioChunk: {new (init: NewChunk): EncodedAudioChunk};

interface Codec {
  readonly state: 'unconfigured' | 'configured' | 'closed';
  configure(config: object): void;
  close(): void;
}
interface CodecOf<Codec, Output> {
  new (init: {output: (out: Output) => void, error: (why: DOMException) => void}): Codec;
  isConfigSupported(config: object): Promise<{supported?: boolean}>;
}
interface VideoDecoder extends Codec {
  decode(chunk: EncodedChunk): void;
}
interface AudioDecoder extends Codec {
  decode(chunk: EncodedChunk): void;
}
interface VideoEncoder extends Codec {
  encode(picture: VideoFrame, options?: {keyFrame?: boolean}): void;
}
interface AudioEncoder extends Codec {
  encode(data: AudioData): void;
}
declare var VideoDecoder: CodecOf<VideoDecoder, VideoFrame>;
declare var AudioDecoder: CodecOf<AudioDecoder, AudioData>;
declare var VideoEncoder: CodecOf<VideoEncoder, EncodedChunk>;
declare var AudioEncoder: CodecOf<AudioEncoder, EncodedChunk>;

// What runs in an AudioWorklet.
interface AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare var AudioWorkletProcessor: {new (): AudioWorkletProcessor};
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

declare module '*/guest.js' {
  export default function createGuest(options: {host: object}): Promise<any>;
}
