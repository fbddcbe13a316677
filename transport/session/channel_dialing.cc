#include "transport/session/channel_dialing.h"

#include <algorithm>

#include "transport/send/redundant_lanes.h"
#include "transport/send/segment_policy.h"
#include "transport/send/stripes.h"

namespace paceline {
namespace {

// While there are lanes: so that a failover takes none of them.
constexpr std::size_t kLaneStandbys = RedundantLanes::kLanes;
constexpr std::size_t kMostWanted = 10;  // one for each direction, and the most standbys

}  // namespace

// With segments of the path's size.
std::size_t ChannelDialing::wanted(const ChannelNeeds& needs) const {
  if (needs.interrupted) return kResumeDials;
  if (config_.standby == 0) return config_.separate_directions ? 2 : 1;
  const std::size_t lanes = needs.lanes ? kLaneStandbys : 0;
  const std::size_t standbys =
      needs.stripes ? std::max(config_.standby, Stripes::kMost) : config_.standby;
  return std::min((config_.separate_directions ? 2 : 1) + standbys + lanes, kMostWanted);
}

bool ChannelDialing::lacks_full(const ChannelNeeds& needs, const ChannelSet& channels) const {
  return channels.count(false) + dialing_ - dialing_small_ < wanted(needs);
}

bool ChannelDialing::lacks_small(const ChannelNeeds& needs, const ChannelSet& channels) const {
  return needs.small && channels.count(true) + dialing_small_ == 0;
}

std::optional<std::uint32_t> ChannelDialing::dial(const ChannelNeeds& needs,
                                                  const ChannelSet& channels, Timestamp now) {
  if (now < backoff_.next()) return std::nullopt;
  const bool full = lacks_full(needs, channels);
  if (!full && !lacks_small(needs, channels)) return std::nullopt;
  ++dialing_;
  if (!full) ++dialing_small_;
  if (needs.interrupted) backoff_.set_next_about(now, kResumeEvery * 2 / 3);
  return full ? 0 : kSmallSegment;
}

Timestamp ChannelDialing::next_dial(const ChannelNeeds& needs, const ChannelSet& channels,
                                    Timestamp now) const {
  if (!lacks_full(needs, channels) && !lacks_small(needs, channels)) return qvid::kNever;
  return std::max(backoff_.next(), now);
}

ChannelId ChannelDialing::connected(std::uint32_t segment) {
  const ChannelId id(next_channel_++);
  if (id != kFirstChannel) failed(segment);  // no longer dialled
  return id;
}

void ChannelDialing::failed(std::uint32_t segment) {
  --dialing_;
  if (segment != 0) --dialing_small_;
}

std::vector<ChannelId> ChannelDialing::surplus(const ChannelNeeds& needs,
                                               const ChannelSet& channels) const {
  const auto all = channels.all();
  std::ptrdiff_t beyond =
      std::ranges::count_if(all, [](const Channel& c) { return c.open && !c.small(); }) -
      static_cast<std::ptrdiff_t>(wanted(needs));
  std::vector<ChannelId> surplus;
  for (std::size_t i = all.size(); i-- > 0;) {
    const Channel& c = all[i];
    if (!c.open || channels.active() == c.id || channels.receiving() == c.id) continue;
    if (c.small() ? !needs.small : beyond-- > 0) surplus.push_back(c.id);
  }
  return surplus;
}

}  // namespace paceline
