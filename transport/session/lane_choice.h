// Which channels are lanes for urgent messages (redundant_lanes.h): while this end wants them, those that
// carry nothing else, where there are enough.
//
// Decisions over the session's channels and lanes, which outlive this. Pure. Thread: one at a time.
#pragma once

#include "transport/send/redundant_lanes.h"
#include "transport/session/channel_set.h"

namespace paceline {

class LaneChoice {
 public:
  LaneChoice(const ChannelSet& channels, RedundantLanes& redundant)
      : channels_(channels), redundant_(redundant) {}

  // The peer takes such messages: nothing is chosen for one that does not.
  void set_peer_takes(bool takes) { peer_takes_ = takes; }
  // The peer has used a lane.
  void on_peer_used(Timestamp now) { peer_uses_until_ = now + RedundantLanes::kFor; }
  // Begins lanes, moves those for which there is a better channel, or ends them: they remain until
  // all that was given to them has ended.
  void choose(Timestamp now);

  // One of both ends wants lanes: the client should keep channels for them. As of choose().
  bool wanted() const { return wanted_; }
  bool peer_uses(Timestamp now) const { return now < peer_uses_until_; }

 private:
  int rank(const Channel& channel, Timestamp now) const;
  const Channel* best(Timestamp now) const;

  const ChannelSet& channels_;
  RedundantLanes& redundant_;
  bool peer_takes_ = false;
  bool wanted_ = false;
  Timestamp peer_uses_until_;  // as far as its last message on a lane tells
};

}  // namespace paceline
