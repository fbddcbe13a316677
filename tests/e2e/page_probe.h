// What comes out of a guest's page, and when; and a camera and a microphone that show and say what can be
// found again.
//
// Both are scripts that a test runs in a page after it was opened and before one joins. The page must allow
// scripts of the test (Browser::allow_scripts).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/bed/output_table.h"
#include "tests/e2e/browser.h"

namespace e2e {

// window.came: of the first other member's picture, each time that the display is drawn, [ms, mean luma];
// of what the loudspeaker is given [ms, dBFS] of each 2.5 ms, at the time at which the browser says that it
// is heard; and the samples.
inline constexpr const char* kPageProbe = R"js((() => {
  const came = window.came = {pictures: [], heard: [], samples: []};
  const eye = new OffscreenCanvas(8, 8).getContext('2d', {willReadFrequently: true});
  const look = () => {
    requestAnimationFrame(look);
    const picture = document.querySelector('.tile:not(.own) canvas');
    if (!picture || picture.width < 16) return;
    eye.drawImage(picture, 0, 0, 8, 8);
    const {data} = eye.getImageData(0, 0, 8, 8);
    let luma = 0;
    for (let i = 0; i < 256; i += 4) luma += .3 * data[i] + .59 * data[i + 1] + .11 * data[i + 2];
    came.pictures.push([performance.now(), luma / 64]);
  };
  look();

  const EAR = `registerProcessor('ear', class extends AudioWorkletProcessor {
    process([input]) {
      if (input[0]) this.port.postMessage({at: currentTime, samples: input[0].slice()});
      return true;
    }
  });`;
  const BLOCK = 120;
  async function listen(node) {
    const audio = node.context;
    await audio.audioWorklet.addModule(
        URL.createObjectURL(new Blob([EAR], {type: 'text/javascript'})));
    const ear = new AudioWorkletNode(
        audio, 'ear', {numberOfOutputs: 0, channelCount: 1, channelCountMode: 'explicit'});
    let energy = 0, frames = 0;
    ear.port.onmessage = ({data: {at, samples}}) => {
      const {contextTime, performanceTime} = audio.getOutputTimestamp();
      samples.forEach((sample, i) => {
        came.samples.push(Math.round(32767 * sample));
        energy += sample * sample;
        if (++frames < BLOCK) return;
        const begin = at + (i + 1 - BLOCK) / audio.sampleRate;
        const level = 10 * Math.log10(energy / BLOCK);
        if (level > -50) came.heard.push([performanceTime + 1000 * (begin - contextTime), level]);
        energy = frames = 0;
      });
    };
    node.connect(ear);
  }
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function(to, ...more) {
    if (to instanceof AudioDestinationNode) listen(this);
    return connect.call(this, to, ...more);
  };
})(); true)js";

// The page's camera and microphone are `test:sync`: each second white for 100 ms, and a beep of 60 ms.
inline constexpr const char* kPageScene = R"js((() => {
  const scene = new AudioContext({sampleRate: 48000});
  const sound = scene.createMediaStreamDestination();
  const beep = scene.createGain(), pitch = scene.createOscillator();
  beep.gain.value = 0;
  pitch.frequency.value = 1000;
  pitch.connect(beep).connect(sound);
  pitch.start();
  const canvas = document.createElement('canvas');
  canvas.width = 640;
  canvas.height = 360;
  const paint = canvas.getContext('2d');
  let next = 1, pictures = 0;
  const draw = () => {
    requestAnimationFrame(draw);
    const now = scene.currentTime;
    for (; next < now + 2; ++next) {
      beep.gain.setValueAtTime(.25, next);
      beep.gain.setValueAtTime(0, next + .06);
    }
    paint.fillStyle = now >= 1 && now % 1 < .1 ? 'white' : 'black';
    paint.fillRect(0, 0, 640, 360);
    paint.fillStyle = 'gray';
    paint.fillRect(10 * (++pictures % 60), 340, 20, 20);
  };
  draw();
  const picture = canvas.captureStream(30);
  navigator.mediaDevices.getUserMedia = async ({video}) =>
      new MediaStream((video ? picture : sound.stream).getTracks().map((track) => track.clone()));
})(); true)js";

inline qvid::lab::OutputTable came_out(Browser& browser) {
  const nlohmann::json came =
      browser.evaluate("({pictures: window.came.pictures, heard: window.came.heard})");
  qvid::lab::OutputTable table;
  const auto fill = [](std::vector<qvid::lab::OutputValue>& values, const nlohmann::json& from) {
    for (const auto& [at, value] : from.get<std::vector<std::pair<double, double>>>()) {
      values.push_back({.at = at / 1000, .value = value});
    }
  };
  fill(table.pictures, came["pictures"]);
  fill(table.heard, came["heard"]);
  return table;
}

}  // namespace e2e
