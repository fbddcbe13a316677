// Which channel takes what this end sends: the first one, another when it fails (failover), another
// when that suits better (planned move). Source: 000 section 4.3.
//
// The two directions share a channel only where there is no other, so that acknowledgements never
// wait behind content. Of several standbys the next is one that was not abandoned, else one with
// the wished segments, else one that does not bring the peer's content, else one that is no lane,
// else the one that was heard last.
//
// Decisions over the session's channels and sender, which outlive this, as the others do. Pure.
// Thread: one at a time.
#pragma once

#include <optional>
#include <string>

#include "transport/send/sender.h"
#include "transport/session/channel_set.h"
#include "transport/session/segment_wish.h"

namespace paceline {

class ChannelChoice {
 public:
  ChannelChoice(Side side, const SessionConfig& config, ChannelSet& channels, Sender& sender,
                SegmentWish& segments)
      : side_(side), config_(config), channels_(channels), sender_(sender), segments_(segments) {}

  // The session is established: content goes over its first channel.
  void begin(ChannelId channel, Timestamp now);

  // --- failover ---
  // The active channel has failed, or there is none: content goes on over a standby, if there is
  // one. Gives the channel that is of no use any more.
  [[nodiscard]] std::optional<ChannelId> fail_over(const std::string& reason, Timestamp now);
  // When the active channel has failed since nothing was acknowledged; kNever: it has not, or there
  // is no standby.
  Timestamp fails_at() const;
  // Something was acknowledged on the active channel: gives what a failover before has cost.
  std::optional<FailedOver> on_progress(Timestamp now);
  // When the whole path stops for a moment, both ends fail over at once, and each would close the
  // socket that the other has just chosen. So the last two are kept until another is open.
  bool hardly_any_left() const { return channels_.open() <= 2; }

  // --- planned move ---
  // It waits until nothing is outstanding: about a round trip.
  void move_if_better(Timestamp now);

 private:
  const Channel* standby() const;
  const Channel* better_channel() const;

  const Side side_;
  const SessionConfig& config_;
  ChannelSet& channels_;
  Sender& sender_;
  SegmentWish& segments_;

  struct Stall {
    Timestamp since;
    std::string reason;
  };
  std::optional<Stall> stall_;  // failed over, and nothing acknowledged since
};

}  // namespace paceline
