// What a player says to the server:
//
//   {"type":"play","name":"live","window":3,"decodes":["h264","av1"]}   (a file: "start_ms":0)
//   {"type":"list","after":""}                      instead of play
//   {"type":"measure","way":"up",...}               pubsub/wire/measure.h
//   {"type":"pause"}   {"type":"resume"}
//   {"type":"window","window":5}                    live
//   {"type":"layers","most":1}                      where Playing says that they are to be chosen
//   {"type":"sound","on":true,"window_ms":500}      where sound was offered
//   {"type":"seek","to_ms":61000}                   stored, as is this:
//   {"type":"position","at_ms":60900,"buffered_ms":4100,"running":true,
//    "speed":150}                 percent; without it 100
//   {"type":"preview","at_ms":61000}                stored, where previews were offered
//   {"type":"join"}    said by who takes the server for a broker, and is told so
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/protocol/play_limits.h"
#include "base/result.h"
#include "base/units.h"
#include "media/codec/codec.h"
#include "media/live/adaptation_policy.h"
#include "pubsub/wire/measure.h"

namespace qvid::app {

struct PlayRequest {
  std::string name;
  int window = 3;    // transmit window in frames; of live video
  Duration start{};  // of stored video: the place to begin at
  media::Preference prefer = media::Preference::kMotion;  // what goes first on a narrow link
  int layers = kAllLayers;                                // as LayersWanted
  // By the names of media/codec/codec.h; who does not say, from before there was a choice, has it.
  std::vector<std::string> decodes = {std::string(media::kPlainCodec)};
  std::string token = {};  // or a passphrase, of a server that wants one
};
// What is served beside `live`: the files after that name, in the order of names.
struct ListRequest {
  std::string after;
  std::string token = {};
};
// Nothing of this viewer is sent until it resumes.
struct Pause {};
struct Resume {};
struct SetWindow {
  int window = 3;  // frames
};
// No more layers than these, from the base on.
struct LayersWanted {
  int most = kAllLayers;  // 1..kAllLayers
};
// Of the sound: whether it is wanted, and for how long after it was captured, and has crossed the
// path, a packet is of use.
struct SoundWanted {
  bool on = true;
  Duration window = std::chrono::milliseconds(500);  // 0..kMaxSoundWindow
};
struct Seek {
  Duration to{};
};
// Where a player of stored video is, a few times a second and when it changes: the server knows
// from it by when a frame is needed, and how far ahead it may send.
struct PlayerPosition {
  Duration at{};        // of the picture shown now
  Duration buffered{};  // how far beyond it the base is there without a gap
  bool running = true;  // false: paused, or waiting for data
  double speed = 1;     // of the video a second of the clock, while it runs
};
// A small picture of that place of a stored video, on the stream that Playing names. The last place
// that was asked for counts.
struct PreviewWanted {
  Duration at{};
};
// Of who takes the server for a broker.
struct JoinHere {};
using ClientMessage =
    std::variant<PlayRequest, ListRequest, Pause, Resume, SetWindow, SoundWanted, Seek,
                 PlayerPosition, qps::Measure, JoinHere, PreviewWanted, LayersWanted>;

std::string serialise(const ClientMessage& message);
Result<ClientMessage> parse_client_message(std::string_view text);

}  // namespace qvid::app
