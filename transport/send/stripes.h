// Which of a session's sockets the next message is written to, where one is not enough.
//
// A packet lost by chance halves a kernel's window as one lost in a full queue does: at 2% loss and
// 60 ms of round trip a socket carries some 1.5 Mbit/s, however much the path could. While the
// controller steers by delay, its window is what the path takes without a queue, and the kernel's
// of one socket need not be the limit: what does not fit there, or would wait there behind a packet
// that was lost, goes over another socket whole, where it may come in any order. (In the field:
// striping, as GridFTP's parallel streams, with one congestion window over all.) Competing, what
// goes to sockets keeps to one: its share is one flow's.
//
// The active channel is filled first, so that its window grows as if it were alone. Decisions only:
// the Sender asks, the engine names the channels. Bound: kMost channels. Pure. Thread: one at a
// time.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "transport/control/controller.h"
#include "transport/send/channel.h"

namespace paceline {

class Stripes {
 public:
  static constexpr std::size_t kMost = 2;                     // besides the active channel
  static constexpr Duration kFor = std::chrono::seconds(30);  // since one was last needed

  // --- channels ---
  // Those that carry nothing else, best first; what was known of one that stays is kept.
  void use(const std::array<std::optional<ChannelId>, kMost>& channels);
  bool has(ChannelId channel) const { return find(channel) != nullptr; }
  bool empty() const { return !stripes_[0]; }
  // What the kernel says of the active channel, or of a stripe.
  void on_active(const SocketSample& sample) { active_ = sample; }
  void on_socket(ChannelId channel, const SocketSample& sample);
  void on_new_active() { active_ = {}; }

  // --- messages ---
  // Where a message of that size is better written to than to the active channel. Empty: nowhere.
  std::optional<ChannelId> better_for(ByteCount size) const;
  // As better_for would be answered with enough stripes: whether they are worth having.
  bool active_is_full(ByteCount size) const;
  void on_written_to_active(ByteCount bytes) { active_.unacked += bytes; }
  void on_written(ChannelId channel, ByteCount bytes);
  // On the stripes, what the peer's kernel has not acknowledged, out of order or in it.
  ByteCount under_way() const;

  // --- need ---
  void on_needed(Timestamp now) { needed_until_ = now + kFor; }
  // Channels should be kept for stripes.
  bool wanted(Timestamp now) const { return now < needed_until_; }

 private:
  struct Stripe {
    ChannelId channel;
    SocketSample socket;  // cwnd 0: the kernel has not told yet
  };
  const Stripe* find(ChannelId channel) const;
  Stripe* find(ChannelId channel);

  std::array<std::optional<Stripe>, kMost> stripes_;
  SocketSample active_;
  Timestamp needed_until_{};
};

}  // namespace paceline
