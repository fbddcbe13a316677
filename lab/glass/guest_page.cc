#include "lab/glass/guest_page.h"

namespace qvid::lab {
namespace {

// The script writes it to the console, and Chromium into a line of its log.
constexpr std::string_view kTrouble = "\"guest-trouble: ";

}  // namespace

std::string_view guest_manifest() {
  return R"json({"manifest_version": 3, "name": "guest", "version": "1", "content_scripts": [
  {"matches": ["<all_urls>"], "js": ["guest.js"], "run_at": "document_start", "world": "MAIN"}]}
)json";
}

std::string_view guest_script() {
  return R"js((() => {
const failed = why => console.error('guest-trouble: ' + (why?.stack || why));
addEventListener('error', event => failed(event.error || event.message));
addEventListener('unhandledrejection', event => failed(event.reason));
const wants = new URLSearchParams(location.hash.slice(1));
async function display() {
  const stream = await navigator.mediaDevices.getDisplayMedia(
    {video: {frameRate: 30, cursor: 'never'}, audio: false});
  stream.getVideoTracks()[0].contentHint = 'motion';
  return stream;
}
function tone() {
  const context = new AudioContext(), volume = context.createGain();
  const carrier = context.createOscillator(), syllables = context.createOscillator();
  const to = context.createMediaStreamDestination();
  syllables.frequency.value = 4;
  syllables.connect(volume.gain);
  carrier.connect(volume).connect(to);
  carrier.start();
  syllables.start();
  return to.stream;
}
const devices = navigator.mediaDevices;
if (!devices) return failed('the page has no devices: it is no secure context');
devices.getUserMedia = async wanted => wanted.video ? display() : tone();

const element = id => document.getElementById(id);
function has(id, what) {
  if (!qvid.own[what] && !element(id).checked) element(id).click();
  return qvid.own[what];
}
const text = id => element(id)?.textContent ?? '';
const join = setInterval(() => {
  if (document.body?.textContent.includes('built without the page')) {
    clearInterval(join);
    return failed('the program was built without the page for browsers');
  }
  if (!window.qvid || !element('join') || text('start-trouble')) return;
  if (wants.has('send') && !has('with-camera', 'camera')) return;
  if (wants.has('speak') && !has('with-microphone', 'microphone')) return;
  clearInterval(join);
  element('name').value = 'guest';
  element('join').requestSubmit();
}, 100);
const watch = setInterval(() => {
  const over = element('over');
  const why = over && !over.hidden ? text('over-title') + ': ' + text('over-text')
                                   : text('start-trouble');
  if (!why) return;
  clearInterval(watch);
  failed(why);
}, 500);
addEventListener('pagehide', () => clearInterval(watch));
})();
)js";
}

std::string guest_trouble(std::string_view log) {
  const std::size_t at = log.find(kTrouble);
  if (at == std::string_view::npos) return {};
  log.remove_prefix(at + kTrouble.size());
  return std::string(log.substr(0, log.find("\", source: ")));
}

}  // namespace qvid::lab
