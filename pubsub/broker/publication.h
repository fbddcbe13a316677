// One track of what a member publishes, as the broker keeps it: what its latest items said, and the
// seats that show it. Thread: the broker's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pubsub/broker/item_log.h"
#include "pubsub/broker/item_order.h"
#include "pubsub/broker/source_clock.h"
#include "pubsub/wire/control.h"

namespace qps {

class SeatFeed;

struct Publication {
  // Items in a row that one can begin with: after that many the next is expected to be one too, as
  // all are of sound, and none is asked for.
  static constexpr int kAllBegin = 2;

  std::string name;  // the member's
  std::string track;
  std::uint32_t stream = 0;  // of its session
  std::string about;
  bool former = false;  // of a member that has moved to another node (broker_move.cc)
  ItemOrder order;
  ItemLog log;
  SourceClock clock;
  std::vector<SeatFeed*> feeds;  // attached; those take themselves off
  bool wanted = false;           // as the publisher was told
  Duration window{};             // of those who watch one on another node, as it was told
  int beginnings = 0;            // in a row, until now
  std::int64_t began_last = -1;  // the last of them
  bool begin_asked = false;      // since the last item that one can begin with
  bool came_since = false;       // an item, since it was asked for
  Timestamp begin_asked_at{};
  std::optional<Timestamp> opened_at{};  // the first was asked for
  bool losses = false;                   // its publisher asks for them
  bool losses_told = false;              // those of its one seat, as the publisher was told
  std::vector<PartId> lost;              // of these, to be told in this turn
  std::optional<Timestamp> begin_wanted_since{};
  Demand demand;  // as the publisher was told
  Timestamp demand_told_at{};

  // The first fragment of a part has come.
  void note_beginning(const PartId& part, bool begins) {
    came_since = true;
    if (begins) {
      begin_asked = false;
      if (part.item != std::exchange(began_last, part.item)) {
        beginnings = std::min(beginnings + 1, kAllBegin);
      }
    } else if (part.item != began_last) {
      beginnings = 0;
    }
  }
  bool every_item_begins() const { return beginnings == kAllBegin; }
};

}  // namespace qps
