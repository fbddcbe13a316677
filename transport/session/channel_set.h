// The channels of a session: which exist, which of them carry content, and which have gone silent.
//
// A channel is there from when its socket is connected until it is removed; its socket is then to
// be closed, which take_ended() tells. Any channel that is silent is probed, and given up when it
// says nothing for longer.
//
// Bound: kMost, which who adds looks after. Pure. Thread: one at a time.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "transport/send/channel.h"
#include "transport/session/session_config.h"

namespace paceline {

class ChannelSet {
 public:
  static constexpr std::size_t kMost = 16;

  // `config` outlives this.
  ChannelSet(Side side, const SessionConfig& config) : side_(side), config_(config) {}

  // --- come and go ---
  // `greeting` is what this end writes first; `open`: the other end has greeted already. What it
  // gives is valid until the next call of add or remove.
  Channel& add(ChannelId id, std::uint32_t segment, Record greeting, bool open, Timestamp now);
  // `abort`: what the kernel still holds is worth nothing.
  void remove(ChannelId channel, bool abort);
  // A socket for which there is no channel (any more).
  void turn_away(ChannelId channel) { ended_.push_back({channel, true}); }
  // The session is over: all sockets may be closed.
  void end_all();

  // Channels whose sockets are to be closed.
  struct Ended {
    ChannelId channel = kFirstChannel;
    bool abort = false;
  };
  void take_ended(std::vector<Ended>& into);

  // --- what there is ---
  Channel* find(ChannelId channel);
  const Channel* find(ChannelId channel) const;
  // In the order in which they came.
  std::span<Channel> all() { return channels_; }
  std::span<const Channel> all() const { return channels_; }
  std::size_t size() const { return channels_.size(); }
  std::size_t open() const;
  // With segments of that kind, those that were abandoned left out.
  std::size_t count(bool small) const;

  // --- what carries content ---
  // Takes what this end sends; empty: none does.
  std::optional<ChannelId> active() const { return active_; }
  void set_active(ChannelId channel) { active_ = channel; }
  // Brings what the peer sends.
  std::optional<ChannelId> receiving() const { return receiving_; }
  void set_receiving(ChannelId channel) { receiving_ = channel; }

  // --- silence ---
  // When to call check() next; kNever: there is no channel.
  Timestamp next_check() const;
  // Asks the silent ones for a probe, and gives those that have been silent, or have not greeted,
  // for too long.
  std::vector<ChannelId> check(Timestamp now);

 private:
  Timestamp gives_up_at(const Channel& channel) const;
  Timestamp probes_at(const Channel& channel) const;

  const Side side_;
  const SessionConfig& config_;
  std::vector<Channel> channels_;
  std::vector<Ended> ended_;
  std::optional<ChannelId> active_;
  std::optional<ChannelId> receiving_;
};

}  // namespace paceline
