// Which channels are stripes (stripes.h): while this end needs more than the active one, those that
// carry nothing else, and do not stall.
//
// Decisions over the session's channels and sender, which outlive this. Pure. Thread: one at a
// time.
#pragma once

#include "transport/send/sender.h"
#include "transport/session/channel_set.h"

namespace paceline {

class StripeChoice {
 public:
  StripeChoice(const ChannelSet& channels, Sender& sender) : channels_(channels), sender_(sender) {}

  // The peer takes whole messages on any channel: nothing is chosen for one that does not.
  void set_peer_takes(bool takes) { peer_takes_ = takes; }
  // The peer has used a stripe.
  void on_peer_used(Timestamp now) { peer_uses_until_ = now + Stripes::kFor; }
  // Begins stripes, or ends them: what nobody needs is not sampled before each write.
  void choose(Timestamp now);

  // One of both ends needs stripes: the client should keep channels for them. As of choose().
  bool wanted(Timestamp now) const { return wanted_ || now < peer_uses_until_; }

 private:
  const ChannelSet& channels_;
  Sender& sender_;
  bool peer_takes_ = false;
  bool wanted_ = false;
  Timestamp peer_uses_until_;  // as far as its last message on a stripe tells
};

}  // namespace paceline
