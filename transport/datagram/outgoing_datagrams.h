// Messages that go by datagrams: which part of which goes next, and which has arrived.
//
// A message goes whole and in any order with others: the more important first, of equal ones that
// which came first. A part that is lost is sent again while its message is worth it; then the message
// ends, and what is newer has its place (MTP's replacement, 004 section 5.2).
//
// A repair takes a round trip, and who speaks has not the time. Where datagrams are lost, what is urgent and small
// goes once more, unasked, with a datagram behind its own (as RFC 2198 has it). So does, where it is asked for, the
// most important third of what is not urgent, and the most important sixth twice more, if its deadline comes before
// a repair could go: in parts, beside content for which the gate is open.
//
// Bound: by who adds (Sender: of what has not begun a datagram's worth and a message, and
// RedundantLanes::kMost in all); of what is in doubt, by that: each for a moment.
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "base/payload.h"
#include "transport/datagram/byte_ranges.h"
#include "transport/datagram/datagram_frame.h"
#include "transport/datagram/important_part.h"
#include "transport/datagram/sent_datagrams.h"

namespace paceline {

class OutgoingDatagrams {
 public:
  struct Message {
    std::uint64_t number = 0;  // as a lane message's
    MessageId id;
    StreamId stream;
    Importance importance;
    Position position;
    Timestamp deadline = qvid::kNever;
    Payload bytes;  // not empty
    bool urgent = false;
  };
  static constexpr std::size_t kMostCopied = 400;   // bytes: a packet of sound
  static constexpr std::size_t kMostCopies = 4;     // urgent, that wait; beyond, the oldest goes
  static constexpr std::size_t kMostImportant = 8;  // others, that wait; beyond, none is taken
  // What goes once more goes so long behind the first: a queue that is full loses together what comes at once.
  // Where a round trip is short a repair is as good, and under a millisecond is no time for a timer.
  static Duration apart(Duration rtt) {
    const Duration part = std::min<Duration>(std::chrono::milliseconds(10), rtt / 8);
    return part < std::chrono::milliseconds(1) ? Duration() : part;
  }
  static constexpr std::size_t kLeastOfCopy = 256;  // bytes
  using Piece = SentDatagrams::Piece;

  void add(Message message) {
    const std::uint64_t number = message.number;
    fresh_bytes_ += message.bytes.byte_count();
    messages_.emplace(number, Entry{std::move(message), {}, 0, {}, {}});
    const auto before = std::ranges::find_if(fresh_, [&](std::uint64_t other) {
      return messages_.at(other).message.importance < messages_.at(number).message.importance;
    });
    fresh_.insert(before, number);
  }

  // --- what goes next ---
  bool has_fresh() const { return !fresh_.empty(); }
  bool has_again() const { return !again_.empty(); }
  bool has_copy() const { return !copies_.empty() || !important_copies_.empty(); }
  // Of what goes next for the first time. Precondition: has_fresh().
  const Message& next_fresh() const { return messages_.at(fresh_.front()).message; }
  // What is left of the next one, of which a part has gone, fits into a datagram of so many bytes.
  bool ends_within(ByteCount datagram) const {
    if (fresh_.empty()) return false;
    return messages_.at(fresh_.front()).sent > 0 && ByteCount::of(fresh_left()) <= datagram;
  }
  // Bytes of what goes next for the first time that have not gone; 0: nothing waits.
  std::size_t fresh_left() const {
    if (fresh_.empty()) return 0;
    const Entry& e = messages_.at(fresh_.front());
    return e.message.bytes.size() - e.sent;
  }
  // A new message of this importance overtakes some of what has not gone yet, and is in the next
  // datagram of so many bytes.
  bool overtakes(Importance importance, ByteCount datagram) const {
    if (fresh_.empty() || messages_.at(fresh_.back()).message.importance >= importance)
      return false;
    ByteCount before;
    for (const std::uint64_t number : fresh_) {
      const Entry& e = messages_.at(number);
      if (e.message.importance < importance || before >= datagram) break;
      before += ByteCount::of(e.message.bytes.size() - e.sent);
    }
    return before < datagram;
  }
  // A part of at most `room` bytes. Empty: nothing waits. `rtt`: after so long a loss is known.
  std::optional<Piece> take_fresh(std::size_t room, Duration rtt, Timestamp now) {
    if (fresh_.empty() || room == 0) return std::nullopt;
    Entry& e = messages_.at(fresh_.front());
    const Piece piece{e.message.number, e.sent, std::min(e.sent + room, e.message.bytes.size())};
    if (e.sent == 0) e.first_at = now;
    e.sent = piece.end;
    fresh_bytes_ -= ByteCount::of(piece.end - piece.begin);
    unacked_ += ByteCount::of(piece.end - piece.begin);
    if (e.sent < e.message.bytes.size()) return piece;
    fresh_.pop_front();
    Copy copy{{piece.message, 0, piece.end}, now + apart(rtt)};
    if (e.message.urgent) {
      if (!copying_ || piece.begin > 0 || piece.end > kMostCopied) return piece;
      if (copies_.size() == kMostCopies) copies_.pop_front();
      copies_.push_back(copy);
      return piece;
    }
    copy.times = important_.copies(e.message.importance, piece.end);
    if (copy.times > 0 && copying_important_ && e.message.deadline < now + rtt &&
        important_copies_.size() < kMostImportant) {
      important_copies_.push_back(copy);
    }
    return piece;
  }
  // What is urgent and small goes twice from now on, or not any more; what is important is taken to go twice.
  void set_copying(bool urgent, bool important) {
    copying_ = urgent;
    copying_important_ = important;
    if (!urgent) copies_.clear();
  }
  // An urgent message that has not arrived, whole, once more.
  std::optional<Piece> take_copy(std::size_t room, Timestamp now) {
    forget_useless(copies_, now);
    if (copies_.empty() || now < copies_.front().from) return std::nullopt;
    const Piece piece = copies_.front().piece;
    if (piece.end > room) return std::nullopt;
    copies_.pop_front();
    return piece;
  }
  // Whether the gate is open for those of what is not urgent.
  void grant_copies(bool on) { copies_granted_ = on; }
  // A part of another one; no crumbs.
  std::optional<Piece> take_important_copy(std::size_t room, Duration rtt, Timestamp now) {
    forget_useless(important_copies_, now);
    if (!copies_granted_ || important_copies_.empty() || now < important_copies_.front().from)
      return std::nullopt;
    Copy& first = important_copies_.front();
    const Piece piece{first.piece.message, first.piece.begin,
                      std::min(first.piece.end, first.piece.begin + room)};
    if (piece.end < first.piece.end && room < kLeastOfCopy) return std::nullopt;
    messages_.at(piece.message).confirmed_by = now + rtt * 5 / 4;
    first.piece.begin = piece.end;
    if (piece.end < first.piece.end) return piece;
    const Copy next{{piece.message, 0, piece.end}, now + apart(rtt), first.times - 1};
    important_copies_.pop_front();
    if (next.times > 0) important_copies_.push_back(next);
    return piece;
  }
  std::optional<Piece> take_again(std::size_t room) {
    while (!again_.empty() && room > 0) {
      Piece& first = again_.front();
      const auto it = messages_.find(first.message);
      const ByteRanges::Range missing = it == messages_.end()
                                            ? ByteRanges::Range{}
                                            : it->second.arrived.missing(first.begin, first.end);
      if (missing.begin == missing.end) {
        again_.pop_front();
        continue;
      }
      const Piece piece{first.message, missing.begin, std::min(missing.end, missing.begin + room)};
      first.begin = piece.end;
      if (first.begin >= first.end) again_.pop_front();
      return piece;
    }
    return std::nullopt;
  }
  Fragment fragment(const Piece& piece) const {
    const Message& m = messages_.at(piece.message).message;
    return {.number = m.number,
            .stream = m.stream,
            .importance = m.importance,
            .position = m.position,
            .size = m.bytes.size(),
            .offset = piece.begin,
            .bytes = m.bytes.bytes().subspan(piece.begin, piece.end - piece.begin)};
  }

  // --- what became of it ---
  // Bytes that are acknowledged by this, also of a message that has ended; `whole`: the message has
  // arrived, and is forgotten.
  ByteCount on_arrived(const Piece& piece, bool& whole) {
    whole = false;
    const auto it = messages_.find(piece.message);
    if (it == messages_.end()) return ByteCount::of(piece.end - piece.begin);
    Entry& e = it->second;
    const ByteCount bytes = ByteCount::of(e.arrived.add(piece.begin, piece.end));
    unacked_ -= bytes;
    whole = e.arrived.bytes() == e.message.bytes.size();
    if (whole) messages_.erase(it);
    return bytes;
  }
  void send_again(const Piece& piece) {
    again_.push_back(piece);
    for (auto* copies : {&copies_, &important_copies_}) {
      std::erase_if(*copies, [&](const Copy& copy) { return copy.piece.message == piece.message; });
    }
  }

  // Calls ended(message, how much of it was sent, a part was lost) for each whose deadline has come
  // before all of it was sent, or sent again. `doubt`: what was found to be lost may have been restored by a
  // parity, and that be told for so long; or a copy arrive that went later.
  template <class F>
  void expire(Timestamp now, Duration doubt, F&& ended) {
    std::erase_if(again_, [&](const Piece& piece) {
      const auto it = messages_.find(piece.message);
      if (it == messages_.end()) return true;
      if (it->second.message.deadline > now) return false;
      doubtful_.push_back({piece.message, std::max(now + doubt, it->second.confirmed_by)});
      return true;
    });
    std::erase_if(doubtful_, [&](const Doubtful& d) {
      if (d.until > now) return false;
      if (const auto it = messages_.find(d.message); it != messages_.end()) end(it, true, ended);
      return true;
    });
    for (auto i = fresh_.begin(); i != fresh_.end();) {
      const auto it = messages_.find(*i++);
      if (it->second.message.deadline > now) continue;
      i = end(it, false, ended);
    }
  }
  // When the next message that is not all sent expires.
  Timestamp next_deadline() const {
    Timestamp next = qvid::kNever;
    for (const std::uint64_t n : fresh_) next = std::min(next, messages_.at(n).message.deadline);
    for (const Piece& p : again_) {
      const auto it = messages_.find(p.message);
      if (it != messages_.end()) next = std::min(next, it->second.message.deadline);
    }
    for (const Doubtful& d : doubtful_) next = std::min(next, d.until);
    return next;
  }
  // Takes out a message that is not all sent.
  template <class F>
  bool cancel(MessageId id, F&& ended) {
    for (const std::uint64_t n : fresh_) {
      const auto it = messages_.find(n);
      if (it->second.message.id != id) continue;
      end(it, false, ended);
      return true;
    }
    return false;
  }
  void close_stream(StreamId stream) {
    std::vector<std::uint64_t> all;
    for (const auto& [number, e] : messages_) {
      if (e.message.stream == stream) all.push_back(number);
    }
    for (const std::uint64_t n : all) {
      end(messages_.find(n), false, [](const Message&, std::size_t, bool) {});
    }
  }
  void clear() {
    OutgoingDatagrams empty;
    empty.set_copying(copying_, copying_important_);
    empty.important_ = important_;
    *this = std::move(empty);
  }

  // Sent, and not acknowledged or given up; and waiting to be sent for the first time.
  ByteCount unacked() const { return unacked_; }
  ByteCount fresh_bytes() const { return fresh_bytes_; }
  std::size_t fresh_messages() const { return fresh_.size(); }
  bool empty() const { return messages_.empty(); }
  // When the oldest of what is not acknowledged was first sent; kNever: there is none.
  Timestamp oldest() const {
    for (const auto& [number, e] : messages_) {
      if (e.sent > 0) return e.first_at;
    }
    return qvid::kNever;
  }

 private:
  struct Entry {
    Message message;
    Timestamp first_at;
    std::size_t sent = 0;
    ByteRanges arrived;
    Timestamp confirmed_by;  // if its last copy arrives, that is known by then
  };
  struct Doubtful {
    std::uint64_t message = 0;
    Timestamp until;
  };
  struct Copy {
    Piece piece;
    Timestamp from;  // not before
    int times = 1;
  };
  using Entries = std::map<std::uint64_t, Entry>;

  // What has arrived, or ended, or expired.
  void forget_useless(std::deque<Copy>& copies, Timestamp now) {
    while (!copies.empty()) {
      const auto it = messages_.find(copies.front().piece.message);
      if (it != messages_.end() && now < it->second.message.deadline) return;
      copies.pop_front();
    }
  }
  template <class F>
  std::deque<std::uint64_t>::iterator end(Entries::iterator it, bool lost, F&& ended) {
    const Entry entry = std::move(it->second);
    const std::uint64_t number = it->first;
    messages_.erase(it);
    unacked_ -= ByteCount::of(entry.sent - entry.arrived.bytes());
    fresh_bytes_ -= ByteCount::of(entry.message.bytes.size() - entry.sent);
    auto next = std::ranges::find(fresh_, number);
    if (next != fresh_.end()) next = fresh_.erase(next);
    ended(entry.message, entry.sent, lost);
    return next;
  }

  Entries messages_;
  std::deque<std::uint64_t> fresh_;  // not all sent, in order
  std::deque<Piece> again_;          // lost, and not sent again yet
  std::deque<Doubtful> doubtful_;    // were in again_ when their deadline came
  bool copying_ = false;
  bool copying_important_ = false;
  bool copies_granted_ = true;
  ImportantPart important_;
  // To go once more, in order.
  std::deque<Copy> copies_;
  std::deque<Copy> important_copies_;
  ByteCount unacked_;
  ByteCount fresh_bytes_;
};

}  // namespace paceline
