// Which channels a client's session dials, and when: as many as it wants and does not have. After a
// failure it waits (redial_backoff.h); while no channel is left it dials one a second or sooner, up
// to three at once, since each may wait in vain (resumption).
//
// Pure. Thread: one at a time.
#pragma once

#include <optional>
#include <vector>

#include "transport/session/channel_set.h"
#include "transport/session/redial_backoff.h"
#include "transport/session/session_config.h"

namespace paceline {

// What a session needs channels for, now.
struct ChannelNeeds {
  bool interrupted = false;  // none is left: any will do
  bool lanes = false;        // one of both ends uses lanes
  bool stripes = false;      // one of both ends needs more than one socket for its content
  bool small = false;        // one of both ends wants a channel with small segments
};

class ChannelDialing {
 public:
  static constexpr std::size_t kResumeDials = 3;
  static constexpr Duration kResumeEvery = std::chrono::seconds(1);

  // `config` outlives this.
  explicit ChannelDialing(const SessionConfig& config)
      : config_(config), backoff_(qvid::Jitter(config.dial_seed)) {}

  // The largest segment (0: no limit) of a socket that should be dialled now; connected() or
  // failed() follows. Empty: none.
  std::optional<std::uint32_t> dial(const ChannelNeeds& needs, const ChannelSet& channels,
                                    Timestamp now);
  // When dial() gives one, `now` at the earliest; kNever: all that are wanted are there or dialled.
  Timestamp next_dial(const ChannelNeeds& needs, const ChannelSet& channels, Timestamp now) const;

  // What dial() asked for is connected, and gets a number; the first socket of a session, which
  // nobody asks for here, does, too.
  ChannelId connected(std::uint32_t segment);
  // It ended without a socket.
  void failed(std::uint32_t segment);
  // A dial or a socket of one was in vain: the next waits.
  void back_off(Timestamp now) { backoff_.on_failure(now); }
  // A channel is open.
  void on_open() { backoff_.on_success(); }
  // No channel is left: the next dial is due at once.
  void on_interrupted(Timestamp now) { backoff_.set_next(now); }

  // Open channels that are not wanted any more and carry no content: with small segments, or beyond
  // what is wanted since several were dialled to resume.
  std::vector<ChannelId> surplus(const ChannelNeeds& needs, const ChannelSet& channels) const;

 private:
  std::size_t wanted(const ChannelNeeds& needs) const;
  bool lacks_full(const ChannelNeeds& needs, const ChannelSet& channels) const;
  bool lacks_small(const ChannelNeeds& needs, const ChannelSet& channels) const;

  const SessionConfig& config_;
  RedialBackoff backoff_;
  std::uint32_t next_channel_ = 0;
  std::size_t dialing_ = 0;        // sockets
  std::size_t dialing_small_ = 0;  // of these
};

}  // namespace paceline
