// What the seats of a viewer of sound have: a reception each, whose clock its picture has too.
//
// Heard are who is named, or else the kSeats loudest; who is silent sends nothing and costs none.
// The broker is told by the viewer's window how long packets are of use here (sound_window.h): that
// of the seat which waits longest.
//
// Bounds: kMostHeard names in the report and of volumes. Thread: the io_context's; volumes and
// `add_to` any.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "app/reception/live_reception.h"
#include "app/reception/presentation_clocks.h"
#include "app/reception/sound_window.h"
#include "app/reception/volume.h"
#include "app/room/party_report.h"
#include "pubsub/wire/control.h"

namespace qvid::app {

class HeardSeats {
 public:
  static constexpr int kSeats = 8;
  static constexpr std::size_t kMostHeard = 256;  // names; later ones are left out

  // Both outlive this.
  HeardSeats(media::SoundEngine& engine, PresentationClocks& clocks)
      : engine_(engine), clocks_(clocks) {}

  void clear();
  void hear(const qps::Seat& seat);
  void on_message(int seat, std::uint64_t position, const Payload& message, Timestamp now);
  qps::Watch watch(const qps::Watch& pictures) const;
  // True: watch() is another.
  bool tick(Duration late, Timestamp now);

  // Of who is heard under that name, now and later, and of all together. What somebody is played
  // at is the product, at most Volume::kMost.
  void change_volume(const std::string& name, float factor);
  void set_volume(const std::string& name, float level);
  void toggle_silence(const std::string& name);
  void change_volume_of_all(float factor);
  void add_to(PartyReport& report) const;

 private:
  struct Seat {
    std::string name;
    std::unique_ptr<LiveReception> reception;
  };
  void empty(Seat& seat);
  float played(const std::string& name) const;
  void apply_volumes();
  static void add_heard(const Seat& seat, std::optional<int> number,
                        std::map<std::string, HeardReport>& heard);

  media::SoundEngine& engine_;
  PresentationClocks& clocks_;
  SoundWindow window_;

  mutable std::mutex mutex_;  // guards the rest; held before the engine's
  std::map<int, Seat> seats_;
  std::map<std::string, HeardReport> heard_;  // of seats that have been emptied
  std::map<std::string, Volume> volumes_;
  Volume volume_of_all_;
};

}  // namespace qvid::app
