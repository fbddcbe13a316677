// What is heard of a room: the loudest voices, each played by a SoundPlayoutEngine, mixed to turns of
// 10 ms that the page's output asks for.
//
//   packet --> the browser's decoder --> SoundPlayoutEngine, one a seat --> SoundMixer --> turns
//
// Packets are decoded as they come and not when they are played, since the browser answers later than
// it is asked; what is missing is made up from what was last decoded.
//
// Bounds: kSeats seats; kMostDecoding packets of a seat in the decoder, then new ones are left, and each
// for kDecoderPatience; kMostVolumes volumes, then those of others stay as they are.
// Thread: the worker's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/reception/link_meter.h"
#include "app/reception/presentation_clocks.h"
#include "app/reception/sound_window.h"
#include "media/sound/sound_mixer.h"
#include "media/sound/sound_playout_engine.h"
#include "pubsub/wire/from_broker.h"
#include "pubsub/wire/to_broker.h"

namespace qvid::web {

class SoundSeats {
 public:
  static constexpr int kSeats = 8;
  static constexpr std::size_t kMostDecoding = 64;
  static constexpr Duration kDecoderPatience = std::chrono::seconds(1);
  static constexpr std::size_t kMostVolumes = 256;

  explicit SoundSeats(app::PresentationClocks& clocks) : clocks_(clocks) {}
  ~SoundSeats() { clear(); }
  SoundSeats(const SoundSeats&) = delete;
  SoundSeats& operator=(const SoundSeats&) = delete;

  // What to ask the broker for now.
  qps::Watch watch() const;
  // For how long packets are of use here.
  Duration window() const { return window_.now(); }
  std::optional<Error> hear(const qps::Seat& seat);
  void clear();
  void on_message(int seat, std::uint64_t number, const Payload& data, Timestamp now);
  // True: the ticket is of a packet of these. `stereo`: interleaved, empty where it could not be
  // decoded.
  bool on_decoded(int ticket, std::span<const float> stereo, Timestamp now);
  // Now and then. Sound may be that much late. True: watch() is another.
  bool tick(Duration late, Timestamp now);
  // A turn, the first frame of which is heard at `heard`.
  std::span<const float> turn(Timestamp heard);
  // Of who is heard under that name, now and later: as SoundMixer::add has it. `name`: printable.
  void set_volume(const std::string& name, float volume);
  void add_to(nlohmann::json& list) const;

 private:
  class Decoded;
  struct Waiting {
    std::uint64_t number = 0;
    media::SoundPacket packet;
    Timestamp asked{};
  };
  struct Seat {
    std::string name;
    float volume = 1;
    int decoder = 0;
    std::unique_ptr<media::SoundPlayoutEngine> engine;
    app::LinkMeter meter;
    std::map<int, Waiting> decoding;  // by ticket
  };
  static void empty(Seat& seat);
  // A decoder that neither answers nor fails is given up for another.
  static void look_at_decoder(Seat& seat, Timestamp now);

  app::PresentationClocks& clocks_;
  app::SoundWindow window_;
  media::SoundMixer mixer_;
  std::map<int, Seat> seats_;
  std::map<std::string, float> volumes_;  // by name, printable
};

}  // namespace qvid::web
