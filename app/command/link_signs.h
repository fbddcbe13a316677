// How well the pictures and the sound of each party come, for the sign on its tile: of what was
// counted in the last kSpan.
//
//   poor   nothing came in that time of a picture that is to be seen, or more than 5 % was lost
//   fair   more than 1 % was lost, or more than a fifth of the pictures lacked a layer
//   good   else
//
// Lost is what was due and could not be shown or played in time, whatever the reason. Of who shows a
// picture its frames count, else the packets of its sound, as long as it sends any; the delay told is
// from capture to here, without the path's least transit. Nothing is told of the first kLeast.
//
// Bound: the seats and voices of a party. Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "app/room/party_report.h"
#include "base/units.h"
#include "ui/window/tile_model.h"

namespace qvid::app {

class LinkSigns {
 public:
  static constexpr Duration kSpan = std::chrono::seconds(4);
  static constexpr Duration kLeast = std::chrono::seconds(2);
  static constexpr Duration kStep = std::chrono::milliseconds(500);  // between two that are kept

  void note(const PartyReport& report, Timestamp now);
  // Of somebody else; unknown where nothing of theirs is shown or heard.
  ui::Link of(const std::string& name) const;

 private:
  struct Count {
    Timestamp at{};
    std::int64_t come = 0;
    std::int64_t lost = 0;
    std::int64_t full = 0;  // with all layers
    // What was counted has begun anew.
    bool before(const Count& other) const { return come > other.come || lost > other.lost; }
  };
  struct Flow {
    bool picture = false;
    int seat = -1;  // of a picture
    Duration delay{};
    std::deque<Count> counts{};
  };
  static void add(Flow& flow, Count count);
  static ui::Link link_of(const Flow& flow);

  std::map<std::string, Flow> flows_;  // by name
};

// One's own way to the broker: fair from 300 ms of round trip on, poor from 800 ms on (150 and 400 ms
// one way: ITU-T G.114), and poor where there is no connection.
ui::Link own_link(const PartyReport& report);

}  // namespace qvid::app
