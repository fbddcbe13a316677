// The output: an AudioContext plays what the worker has (speaker.js), and the worker is told how late that
// is heard.
//
// @ts-check
const LATENCY_EVERY_MS = 2000;

const latencyMs = (/** @type {AudioContext} */ of) =>
    1000 * ((of.outputLatency || 0) + (of.baseLatency || 0));

export function newOutput() {
  return new AudioContext({sampleRate: 48000, latencyHint: 'interactive'});
}

/**
 * In the handler of a press, since browsers play nothing before one. `to`: what it goes through.
 * @param {AudioContext} audio @param {Worker} worker @param {AudioNode} to
 */
export async function openSpeaker(audio, worker, to = audio.destination) {
  const ended = () => audio.state === 'closed';
  await audio.audioWorklet.addModule('/web/speaker.js');
  if (ended()) return;
  const speaker = new AudioWorkletNode(
      audio, 'qvid-speaker', {numberOfInputs: 0, outputChannelCount: [2]});
  speaker.connect(to);
  if (audio.state === 'suspended') await audio.resume();
  if (ended()) return;
  const {port1, port2} = new MessageChannel();
  speaker.port.postMessage(port1, [port1]);
  worker.postMessage({do: 'speaker', port: port2, latencyMs: latencyMs(audio)}, [port2]);
  const timer = setInterval(() => {
    if (ended()) clearInterval(timer);
    else worker.postMessage({do: 'latency', latencyMs: latencyMs(audio)});
  }, LATENCY_EVERY_MS);
}
