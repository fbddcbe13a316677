#include "transport/session/stripe_choice.h"

namespace paceline {

void StripeChoice::choose(Timestamp now) {
  wanted_ = peer_takes_ && sender_.stripes().wanted(now);
  std::array<std::optional<ChannelId>, Stripes::kMost> chosen;
  std::size_t count = 0;
  if (wanted_) {
    for (const Channel& c : channels_.all()) {
      const bool idle = c.open && !c.abandoned && !c.small() && channels_.active() != c.id &&
                        channels_.receiving() != c.id && !sender_.lanes().is_lane(c.id);
      if (!idle || sender_.lanes().stalls(c.id, now)) continue;
      chosen[count++] = c.id;
      if (count == chosen.size()) break;
    }
  }
  sender_.stripes().use(chosen);
}

}  // namespace paceline
