// The way of urgent messages that expire, packets of sound that is, while the path is in trouble:
// over three lanes at once, channels that carry nothing else. (In the field: packet replication and
// elimination, RFC 8655, over paths that here are sockets.)
//
// On the active channel a lost segment holds up all that was written behind it, for a round trip,
// or, where the repair is lost too, for seconds; and the large segments of a video are lost more
// often than small ones. Who listens hears that. A channel that carries a few small segments a
// round trip seldom loses one. So such messages are written to lanes, not numbered as other content
// is; the receiver takes what comes first (DuplicateFilter):
//
//   first   brings all
//   copy    brings all again, out of a quarter of what the path takes
//   repair  brings what neither has brought in time; paid out of the same quarter
//
// A lane that stalls goes on over another channel: what is on the one before, TCP repairs as soon as
// anybody could. What was on a channel that is closed is written again. What lanes take is not in
// the share that is told to who encodes (PathRate): on a narrow path a greedy flow keeps its own.
//
// Messages are collected for half of a round trip, 60 ms at most: fewer segments are fewer to lose,
// less is wasted around them, and a kernel's window counts segments. The lanes do so in turn.
//
// What goes over a stripe (stripes.h) is one of these messages, too, on one channel alone; one that
// stalls, or whose channel is closed, is written again, to whichever channel is written next.
//
// Decisions only: the Sender fills it, the engine chooses the channels and writes them. Queue: what
// is not acknowledged, kMost messages; beyond, no more are taken (they wait in the send queue, and
// expire there). One that expires before it was written to any lane is cancelled; one that left a path
// of datagrams that failed is lost then: the socket it went on by may be as dead. On a channel:
// kMostUnderWay bytes; beyond, the rest waits. Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/ring_buffer.h"
#include "base/token_bucket.h"
#include "transport/control/rtt_estimator.h"
#include "transport/send/channel.h"
#include "transport/send/send_queue.h"
#include "transport/wire/write_batch.h"

namespace paceline {

class RedundantLanes {
 public:
  static constexpr std::size_t kMost = 512;
  static constexpr std::size_t kLanes = 3;
  static constexpr ByteCount kMostUnderWay = ByteCount(16 * 1024);
  static constexpr Duration kFor = std::chrono::seconds(30);  // since the last sign of trouble
  static constexpr Duration kUnused = std::chrono::seconds(10);

  // A sign that the active channel is in trouble.
  void on_trouble(Timestamp now) { trouble_until_ = now + kFor; }
  // A message that could go this way has been sent.
  void on_message(Timestamp now) { used_until_ = now + kUnused; }
  // Channels should be kept for lanes.
  bool wanted(Timestamp now) const { return now < trouble_until_ && now < used_until_; }
  // Nothing came through for a while, and now something does: what was written before is no sample of
  // the round trip.
  void on_outage_over(Timestamp now) { outage_until_ = now; }
  // Messages can be added.
  bool open(Timestamp now) const { return wanted(now) && has_lane() && !full(); }
  bool full() const { return waiting_.size() >= kMost; }

  // --- lanes ---
  bool has_lane() const;
  std::optional<ChannelId> lane(std::size_t index) const { return lanes_[index].channel; }
  bool is_lane(ChannelId channel) const;
  // Nothing is acknowledged on that channel, although it should be: another is better.
  bool stalls(ChannelId channel, Timestamp now) const;
  // The lane begins, or goes on, over that channel.
  void move(std::size_t index, ChannelId channel);
  void end_lanes() { lanes_ = {}; }
  // The channel is no more.
  void on_closed(ChannelId channel);

  // --- messages ---
  // What the path takes; zero: unknown, and copies are not limited.
  void set_rate(qvid::DataRate path) { path_ = path; }
  // Precondition: open.
  void add(OutgoingChunk chunk, Timestamp now);
  // For that channel alone, which produce writes next; gives its number. With kDatagrams it is only
  // kept, until it is finished there or leaves it. Precondition: not full.
  std::uint64_t add_alone(OutgoingChunk chunk, ChannelId channel, Timestamp now);
  template <class F>
  void finish(std::uint64_t number, Outcome outcome, F&& ended) {
    if (Waiting* w = find(number)) end(*w, outcome, ended);
    forget_ended();
  }
  // What went by datagrams, and has not ended, goes over whichever channel is written next: all of
  // it, or that one.
  void leave_datagrams();
  void leave_datagrams(std::uint64_t number) {
    if (Waiting* w = find(number)) leave(*w);
  }
  // Of those: what is not acknowledged, and since when (kNever: nothing).
  ByteCount alone() const { return alone_; }
  Timestamp oldest_alone() const;
  // What is alone on a channel that stalls goes another way, too: once.
  void leave_stalled(Timestamp now);
  // Calls ended(chunk, outcome) for each that ends by it, as those below.
  template <class F>
  void expire(Timestamp now, F&& ended) {
    if (now < next_deadline_) return;
    next_deadline_ = qvid::kNever;
    for (Waiting& w : waiting_) {
      if (w.state == State::kEnded || (w.state != State::kNew && !w.left_path)) continue;
      if (w.chunk.deadline <= now) {
        end(w, w.left_path ? Outcome::kLost : Outcome::kCancelled, ended);
      } else {
        next_deadline_ = std::min(next_deadline_, w.chunk.deadline);
      }
    }
    forget_ended();
  }
  struct Acked {
    ByteCount alone;  // of those that were on that channel alone
    Duration rtt{};   // the newest's; zero: nothing was acknowledged
  };
  // The channel has brought that one, and all that was written to it before. Empty: it was never
  // written.
  template <class F>
  [[nodiscard]] std::optional<Acked> on_ack(ChannelId channel, std::uint64_t number, Timestamp now,
                                            F&& ended) {
    if (number >= next_number()) return std::nullopt;
    Acked acked;
    Track* track = find(channel);
    if (track == nullptr) return acked;
    const ByteCount alone_before = alone_;
    for (std::size_t left = track->up_to(number); left > 0; --left) {
      const Written& w = track->written.front();
      if (left == 1) {
        acked.rtt = now - w.at;
        if (w.at >= outage_until_) rtt_.add(acked.rtt);
      }
      track->progress = now;
      track->under_way -= w.bytes;
      if (Waiting* waiting = find(w.number)) end(*waiting, Outcome::kDelivered, ended);
      track->written.pop_front();
    }
    acked.alone = alone_before - alone_;
    forget_ended();
    return acked;
  }
  // What is on its way on a stream that is closed may come behind the close, and is not taken then.
  template <class F>
  void close_stream(StreamId stream, F&& ended) {
    for (Waiting& w : waiting_) {
      if (w.chunk.stream != stream) continue;
      end(w, w.state == State::kNew ? Outcome::kCancelled : Outcome::kLost, ended);
    }
    forget_ended();
  }
  // The session is over.
  template <class F>
  void abandon(F&& ended) {
    for (Waiting& w : waiting_) end(w, Outcome::kLost, ended);
    forget_ended();
  }
  // Nothing is left for lanes.
  bool empty() const { return copied_ == 0; }
  // When the next one expires, or earlier; kNever: none does.
  Timestamp next_deadline() const { return next_deadline_; }
  // When there is something to write to a lane; kNever: nothing waits.
  Timestamp next_write() const;
  // Writes what waits for that channel, and, if it is a lane and its time has come, for lanes.
  void produce(ChannelId channel, WriteBatch& batch, Timestamp now);

  std::uint64_t sent() const { return sent_; }  // records, in all
  // What was written to lanes, in all, with about what goes around it on the path.
  ByteCount spent() const { return spent_; }

 private:
  enum class State : std::uint8_t {
    kNew,      // not written to any lane
    kWritten,  // and not acknowledged
    kAgain,    // to be written again: all channels that it was on were closed, or stall
    kEnded
  };
  struct Waiting {
    OutgoingChunk chunk;
    State state = State::kNew;
    int channels = 0;                  // that it is on
    std::optional<ChannelId> alone{};  // the one it was given to
    Timestamp since{};                 // when it was given
    bool left_path = false;            // of datagrams
  };
  struct Written {
    std::uint64_t number = 0;
    Timestamp at;
    ByteCount bytes;
  };
  // What is on a channel that is a lane, or was one. At most one a channel of the session.
  struct Track {
    ChannelId channel;
    qvid::RingBuffer<Written> written;  // and not acknowledged: bounded by kMostUnderWay
    ByteCount under_way;
    Timestamp progress;  // its last acknowledgement
    Timestamp wrote;     // last

    // How many are written up to that one; none where it is not among them.
    std::size_t up_to(std::uint64_t number) const;
  };
  struct Lane {
    std::optional<ChannelId> channel;
    std::uint64_t next = 0;  // number of what it writes next
  };

  std::uint64_t next_number() const { return first_ + waiting_.size(); }
  Waiting* find(std::uint64_t number) {
    return number < first_ ? nullptr : &waiting_[number - first_];
  }
  const Track* find(ChannelId channel) const;
  Track* find(ChannelId channel) { return const_cast<Track*>(std::as_const(*this).find(channel)); }
  Track& track_of(ChannelId channel);
  // What a lane is for: that of its place among those that have a channel.
  enum class Role : std::uint8_t {
    kFirst,  // brings all
    kCopy,   // brings all again, as far as the path has room for it
    kRepair  // brings what is missing
  };
  Role role(std::size_t lane) const;
  Duration collected() const;
  Timestamp opens_at(std::size_t lane) const;
  // When the lane may write that message.
  Timestamp due(Role role, const Waiting& waiting) const;
  bool for_lanes(const Waiting& w) const {
    return !w.alone && (w.state == State::kNew || w.state == State::kWritten);
  }
  void write_all_again(Track& track, WriteBatch& batch, Timestamp now);
  qvid::TokenRate copy_rate() const;
  void write(std::uint64_t number, Track& track, WriteBatch& batch, Timestamp now);
  void write_again(Waiting& waiting);
  void leave(Waiting& waiting);
  void write_alone(ChannelId channel, WriteBatch& batch, Timestamp now);
  template <class F>
  void end(Waiting& w, Outcome outcome, F&& ended) {
    const State before = std::exchange(w.state, State::kEnded);
    if (before == State::kEnded) return;
    if (!w.alone) {
      --copied_;
    } else if (w.alone != kDatagrams) {
      alone_ -= w.chunk.message_size;
      if (before != State::kWritten) --alone_unwritten_;
    }
    ended(w.chunk, outcome);
  }
  void forget_ended();

  Timestamp trouble_until_{};
  Timestamp used_until_{};
  std::deque<Waiting> waiting_;
  std::uint64_t first_ = 0;  // number of waiting_.front()
  Timestamp next_deadline_ = qvid::kNever;
  std::array<Lane, kLanes> lanes_;
  std::vector<Track> tracks_;
  bool again_ = false;      // there may be some
  std::size_t copied_ = 0;  // of those that wait: for all lanes
  ByteCount alone_;         // of the others: payloads
  // Of those: to be written, for the first time or again.
  std::size_t alone_unwritten_ = 0;
  RttEstimator rtt_;
  Timestamp outage_until_{};
  qvid::DataRate path_;
  qvid::TokenBucket copies_;  // bytes
  std::uint64_t sent_ = 0;
  ByteCount spent_;
};

}  // namespace paceline
