// What the seats of a viewer of pictures show, as app/room/seat_playbacks.h has it. Where a member begins
// anew, what was before goes on with what it has until the first new picture is there; where a seat goes
// to another member, it ends at once, since the page names the seat.
//
// Bounds: kMostSeats seats; two playbacks a seat. Thread: the worker's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/reception/link_meter.h"
#include "app/reception/presentation_clocks.h"
#include "pubsub/wire/from_broker.h"
#include "web/engine/web_playback.h"

namespace qvid::web {

class PictureSeats {
 public:
  static constexpr int kMostSeats = 64;

  // `clocks`: of the members, whose sound leads; outlives this.
  PictureSeats(std::uint32_t viewer, int window, app::PresentationClocks& clocks)
      : viewer_(viewer), window_(window), clocks_(clocks) {}

  // That seat shows somebody else from now on, or, where the name is empty, nobody. The error: it
  // cannot be shown, and why.
  std::optional<Error> show(const qps::Seat& seat);
  // Nobody is shown any more. The seats where somebody was.
  std::vector<int> clear();
  void on_message(int seat, std::uint64_t position, const Payload& data, Timestamp now);
  void turn(Timestamp now);
  // As Visit::on_stood.
  void on_stood(Timestamp now);
  bool on_decoded(int ticket, std::optional<int> picture, media::PictureSize size, Timestamp now);

  std::int64_t decode_errors(Timestamp now) const;
  Duration held(Timestamp now) const;  // the longest
  // Now and then: how well each comes is counted.
  void tick(Timestamp now);
  // Adds an object for each that shows somebody.
  void add_to(nlohmann::json& list, Timestamp now) const;

 private:
  struct Seat {
    std::string name;
    std::unique_ptr<WebPlayback> playback;
    std::unique_ptr<WebPlayback> leaving;
    app::LinkMeter meter;
  };
  void draw(int number, const media::ShownPicture& picture) const;
  // No face stays under another's name.
  void wipe(int number) const;

  const std::uint32_t viewer_;
  const int window_;
  app::PresentationClocks& clocks_;
  std::map<int, Seat> seats_;
};

}  // namespace qvid::web
