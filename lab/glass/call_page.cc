#include "lab/glass/call_page.h"

namespace qvid::lab {

// kTurnName is name and password of the TURN server.
std::string_view call_page() {
  return R"html(<!doctype html><meta charset=utf-8><title>call</title>
<style>html,body{margin:0;background:#222;overflow:hidden;cursor:none}
video{position:fixed;left:0;top:0;width:640px;height:400px;background:#000}</style>
<video id=video autoplay muted playsinline></video>
<script>
const query = new URLSearchParams(location.search), role = query.get('role');
const sleep = ms => new Promise(done => setTimeout(done, ms));
const put = (name, value) =>
  fetch('/kept/' + name, {method: 'PUT', body: JSON.stringify(value)});
async function get(name) {
  for (;; await sleep(100)) {
    const answer = await fetch('/kept/' + name);
    if (answer.status == 200) return answer.json();
  }
}
const gathered = pc => new Promise(done => {
  if (pc.iceGatheringState == 'complete') return done();
  pc.onicegatheringstatechange = () => pc.iceGatheringState == 'complete' && done();
  setTimeout(done, 5000);
});
const turn = query.get('turn');
const config = turn ? {iceServers: [{urls: turn, username: 'glass', credential: 'glass'}],
                       iceTransportPolicy: 'relay'} : {};
async function send(pc) {
  const stream = await navigator.mediaDevices.getDisplayMedia(
    {video: {frameRate: 30, cursor: 'never'}, audio: false});
  const track = stream.getVideoTracks()[0];
  track.contentHint = 'motion';
  const sender = pc.addTransceiver(track, {direction: 'sendonly', streams: [stream]});
  const all = RTCRtpSender.getCapabilities('video').codecs;
  const wanted = all.filter(c => c.mimeType == 'video/' + (query.get('codec') || 'VP8'));
  if (!wanted.length) throw new Error('this Chromium has no ' + query.get('codec'));
  sender.setCodecPreferences([...wanted, ...all.filter(c => /rtx|red|ulpfec/.test(c.mimeType))]);
  await pc.setLocalDescription(await pc.createOffer());
  await gathered(pc);
  await put('offer', pc.localDescription);
  await pc.setRemoteDescription(await get('answer'));
}
async function receive(pc) {
  pc.ontrack = e => { document.getElementById('video').srcObject = e.streams[0]; };
  await pc.setRemoteDescription(await get('offer'));
  await pc.setLocalDescription(await pc.createAnswer());
  await gathered(pc);
  await put('answer', pc.localDescription);
}
(role == 'send' ? send : receive)(new RTCPeerConnection(config))
  .catch(error => put(role + '-error', String(error.stack || error)));
</script>
)html";
}

}  // namespace qvid::lab
