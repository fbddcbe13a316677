// How well the pictures and the sound of each party come, for the sign on its tile: what a LinkMeter
// reads, and in words.
//
// Of who shows a picture its frames count, else the packets of its sound, as long as it sends any; the
// delay told is from capture to here, without the path's least transit.
//
// Bound: the seats and voices of a party. Pure. Thread: one at a time.
#pragma once

#include <map>
#include <string>

#include "app/reception/link_meter.h"
#include "app/room/party_report.h"
#include "base/units.h"
#include "ui/window/tile_model.h"

namespace qvid::app {

class LinkSigns {
 public:
  void note(const PartyReport& report, Timestamp now);
  // Of somebody else; unknown where nothing of theirs is shown or heard.
  ui::Link of(const std::string& name) const;

 private:
  struct Flow {
    bool picture = false;
    int seat = -1;  // of a picture
    Duration delay{};
    LinkMeter meter{};
  };

  std::map<std::string, Flow> flows_;  // by name
};

// One's own way to the broker; poor where there is no connection.
ui::Link own_link(const PartyReport& report);

}  // namespace qvid::app
