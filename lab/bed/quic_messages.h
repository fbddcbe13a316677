// Units as messages over QUIC, one a stream: what SST is to Paceline in 002, a transport without a
// queue. A unit that waits is here, the most important one first, until there is room in a datagram
// that may go now; so a base overtakes what is half sent. When its frame's time is over it goes no
// further: what waits is dropped, a stream that was begun is reset.
//
// Pure; for the sending and the receiving end of an engine (lab/bed/quic_engine.h).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "lab/bed/adu.h"
#include "lab/bed/ledger.h"
#include "lab/bed/oldest_unacked.h"
#include "lab/bed/quic_engine.h"
#include "lab/bed/source.h"

namespace qvid::lab {

// Bounded: what waits are units of one window, which the source makes and the deadline ends; greedy,
// one block. What was begun ends with the engine's streams, at most kMostQuicStreams. Full: units
// wait, and expire.
class QuicSender : public QuicUser {
 public:
  QuicSender(const FlowSpec& spec, const RunClock& clock, std::uint64_t seed);

  void capture(Timestamp now);  // of kVideo: every kFrameTime
  // Of what was begun and is neither acknowledged nor reset.
  void sample(Timestamp now);
  bool greedy() const { return source_.greedy(); }
  std::uint32_t frames() const { return source_.frames(); }
  Timestamp due() const { return next_deadline_; }        // prepare() has something to cancel
  std::uint64_t cancelled() const { return cancelled_; }  // units, of which a part may have come
  const OldestUnacked& unacked() const { return unacked_; }

  void prepare(QuicEngine& engine, Timestamp now) override;
  std::optional<QuicChunk> next(Timestamp now) override;
  void on_written(std::int64_t stream, std::size_t bytes, Timestamp now) override;
  void on_acked(std::int64_t stream, std::uint64_t total, Timestamp now) override;
  void on_closed(std::int64_t stream) override;

 private:
  struct Rank {
    std::uint8_t layer = 0;
    std::uint32_t frame = 0;
    std::uint32_t number = 0;  // of a greedy flow's blocks
    auto operator<=>(const Rank&) const = default;
  };
  struct Waiting {
    Timestamp deadline = kNever;
    std::vector<std::byte> bytes{};  // of one that has no stream yet
    std::int64_t stream = -1;
  };
  struct Written {
    std::uint64_t end = 0;  // of the stream's bytes
    Timestamp at{};
  };
  struct Begun {
    Timestamp deadline = kNever;
    std::vector<std::byte> bytes{};
    std::size_t written = 0;
    std::deque<Written> unacked{};
    bool reset = false;
  };
  void add(const Adu& adu);
  void expire(QuicEngine& engine, Timestamp now);

  Source source_;
  Duration window_;
  OldestUnacked unacked_;
  std::map<Rank, Waiting> waiting_;       // not all of it is written; by importance
  std::map<std::int64_t, Begun> begun_;   // by stream, until it is closed
  std::set<std::int64_t> spare_streams_;  // open, and of no unit yet: none may be opened in the
                                          // midst of a datagram
  Timestamp next_deadline_ = kNever;      // nothing expires before
  std::uint32_t number_ = 0;
  std::uint64_t cancelled_ = 0;
};

// Bounded: an entry for each open stream, at most kMostQuicStreams, without what it carried.
class QuicReceiver : public QuicUser {
 public:
  QuicReceiver(const FlowSpec& spec, const RunClock& clock) : ledger_(clock, spec) {}

  const Ledger& ledger() const { return ledger_; }

  void on_data(std::int64_t stream, std::span<const std::byte> bytes, bool last,
               Timestamp now) override;
  void on_closed(std::int64_t stream) override { begun_.erase(stream); }

 private:
  struct Begun {
    std::vector<std::byte> header{};
    std::size_t bytes = 0;
  };
  Ledger ledger_;
  std::map<std::int64_t, Begun> begun_;
};

}  // namespace qvid::lab
