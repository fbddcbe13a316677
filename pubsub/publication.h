// What one member publishes, as the broker keeps it: what its latest items said, and the seats that
// show it. Thread: the broker's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pubsub/control.h"
#include "pubsub/item_log.h"
#include "pubsub/source_clock.h"

namespace qps {

class SeatFeed;

struct Publication {
  std::string name;          // the member's
  std::uint32_t stream = 0;  // of its session
  std::string about;
  ItemLog log;
  SourceClock clock;
  std::vector<SeatFeed*> feeds;  // attached; those take themselves off
  bool wanted = false;           // as the publisher was told
  bool begin_asked = false;      // since the last item that one can begin with
  Timestamp begin_asked_at{};
  Demand demand;  // as the publisher was told
};

}  // namespace qps
