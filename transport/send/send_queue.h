// Messages that wait for their turn, and what is left of those that have begun.
//
// Order within a stream: importance, then position, then age (message.h). Between streams: the
// scheduler's virtual time. Bound: `capacity` bytes of payload; a message that does not fit is
// refused, never dropped, and `room_again` tells when to come back. kMaxWaiting bounds their
// number.
//
// Urgent is a small message of the two highest importances, as control messages and packets of
// sound are: pop_urgent gives it out of turn, for who may write little. One with a deadline, sound
// that is, may come in any order: pop_for_lanes gives it.
//
// Cost: in whatever order positions come, push and cancel make O(log n) comparisons and pop none; a
// push behind all that wait makes one. Memory of ended messages is used again: nothing is allocated
// per message in steady state.
#pragma once

#include <boost/intrusive/set.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "transport/send/stream_scheduler.h"
#include "transport/wire/message.h"

namespace paceline {

// A chunk to be written now.
struct OutgoingChunk {
  MessageId message;
  StreamId stream;
  std::uint64_t number = 0;  // of the message on its stream
  bool first = false;
  bool last = false;
  ByteCount message_size;
  Importance importance;
  Position position;
  std::size_t offset = 0;
  Payload bytes;
  Timestamp deadline = qvid::kNever;  // of what may go over lanes
};

class SendQueue {
 public:
  static constexpr std::size_t kMaxWaiting = std::size_t{1} << 20;
  static constexpr std::uint8_t kUrgent = 254;      // importance
  static constexpr std::size_t kMostUrgent = 1400;  // bytes of payload

  // `reassembly_budget`: bytes of begun messages the receiver is ready to hold (record.h, Limits).
  SendQueue(ByteCount capacity, ByteCount reassembly_budget,
            Fairness fairness = Fairness::kResource);
  SendQueue(const SendQueue&) = delete;  // its streams count in it
  SendQueue& operator=(const SendQueue&) = delete;

  void set_reassembly_budget(ByteCount budget) { reassembly_budget_ = budget; }

  // `lasting`: it is not opened again once it is closed, so that what comes late on it can be told
  // from what is new: its messages may go over lanes.
  void open_stream(StreamId stream, double weight, bool lasting = true);
  bool has_stream(StreamId stream) const { return streams_.contains(stream); }

  // Empty: the queue is full. Precondition: the stream is open.
  std::optional<MessageId> push(StreamId stream, Message message);

  // The next chunk, of at most `max_bytes` (positive); an urgent message whole. Empty: nothing waits.
  std::optional<OutgoingChunk> pop(std::size_t max_bytes);
  // Size of the message that pop would begin now, where it may come in any order, and has a
  // deadline, as those for lanes. Empty: there is none, or it is one that keeps its place.
  struct InAnyOrder {
    std::size_t size = 0;
    Importance importance;
  };
  std::optional<InAnyOrder> next_in_any_order();
  // The next urgent message, whole. Empty: none waits.
  std::optional<OutgoingChunk> pop_urgent();
  static bool is_urgent(Importance importance, std::size_t size) {
    return importance.value() >= kUrgent && size <= kMostUrgent;
  }
  // The same, of those that have a deadline; and whether a chunk is one.
  static bool may_use_lanes(const OutgoingChunk& chunk) {
    return is_urgent(chunk.importance, chunk.message_size.size()) && chunk.deadline != qvid::kNever;
  }
  std::optional<OutgoingChunk> pop_for_lanes();

  struct Removed {
    MessageId message;
    StreamId stream;
    std::uint64_t number = 0;
    ByteCount sent;
    ByteCount size;
    bool begun = false;  // the peer has seen a part: it must be told
  };
  // Takes a waiting message out. Empty: it does not wait (any more).
  std::optional<Removed> remove(MessageId message);
  // Takes the next one out whose deadline has come; call until empty.
  std::optional<Removed> remove_expired(Timestamp now);
  // Takes one out that is partly written, of those that may come in any order and have a deadline;
  // call until empty.
  std::optional<Removed> remove_begun_in_any_order();
  // Takes any message of the stream out; call until empty, then the stream is closed.
  std::optional<Removed> close_stream(StreamId stream);

  // Takes any message out, of any stream; call until empty.
  std::optional<Removed> remove_any();

  // The earliest deadline that may still matter.
  Timestamp next_deadline() const { return deadlines_.empty() ? qvid::kNever : deadlines_[0].at; }

  bool empty() const { return waiting_ == 0; }
  std::size_t messages() const { return waiting_; }
  // Payload bytes that wait.
  ByteCount bytes() const { return bytes_; }
  ByteCount bytes(StreamId stream) const;
  // Calls f(stream, its messages, their bytes) for each open stream.
  template <class F>
  void for_each_stream(F&& f) const {
    for (const auto& [id, stream] : streams_) f(id, stream.messages, stream.bytes);
  }
  ByteCount capacity() const { return capacity_; }
  // True once after a refused push, when half of the capacity is free and that message would fit.
  bool room_again();
  // Comparisons of two waiting messages until now: what a push costs, without a clock.
  std::uint64_t comparisons() const { return comparisons_; }

 private:
  using Slot = std::uint32_t;
  using Hook =
      boost::intrusive::set_base_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>;

  struct Node : Hook {
    Slot slot = 0;  // its own
    std::uint32_t generation = 0;
    bool waiting = false;
    StreamId stream;
    std::uint64_t number = 0;
    Importance importance;
    Position position;
    std::uint64_t age = 0;  // order of arrival
    std::size_t sent = 0;
    Payload payload;
    double quality = 1.0;
    Timestamp deadline = qvid::kNever;  // of what may go over lanes
    bool in_any_order = false;
  };
  struct GoesBefore {
    std::uint64_t* comparisons;
    bool operator()(const Node& a, const Node& b) const {
      ++*comparisons;
      return goes_before(a, b);
    }
  };
  using Order = boost::intrusive::set<Node, boost::intrusive::compare<GoesBefore>,
                                      boost::intrusive::constant_time_size<false>>;
  struct Stream {
    explicit Stream(GoesBefore goes_before) : order(goes_before) {}

    Order order;  // best first
    std::size_t messages = 0;
    std::uint64_t next_number = 0;
    ByteCount bytes;
    bool lasting = true;
  };
  struct Deadline {
    Timestamp at;
    MessageId message;
  };

  static MessageId id_of(Slot slot, std::uint32_t generation) {
    return MessageId(std::uint64_t{generation} << 32 | slot);
  }
  Node* find(MessageId message);
  // nullptr: nothing waits.
  static Node* best(Stream& stream) {
    return stream.order.empty() ? nullptr : &*stream.order.begin();
  }
  Node& best_begun();
  static bool is_urgent(const Node& node) {
    return is_urgent(node.importance, node.payload.size());
  }
  template <class F>
  std::optional<OutgoingChunk> pop_urgent_if(F&& fits);
  OutgoingChunk take_chunk(Node& node, std::size_t max_bytes);
  double cost(const Node& node, std::size_t bytes) const;
  static bool goes_before(const Node& a, const Node& b);
  Removed take_out(Node& node);
  void release(Node& node);
  void drop_stale_deadlines();

  ByteCount capacity_;
  ByteCount reassembly_budget_;
  Fairness fairness_;
  ByteCount bytes_;
  ByteCount begun_bytes_;  // sizes of the messages that have begun and are not all written
  std::size_t waiting_ = 0;
  std::size_t urgent_ = 0;  // of those that wait
  std::uint64_t arrivals_ = 0;
  std::optional<ByteCount> refused_;  // size of the message that was
  std::uint64_t comparisons_ = 0;
  std::deque<Node> nodes_;  // by slot; they stay where they are
  std::vector<Slot> free_;
  std::vector<Slot> begun_;  // partly written
  std::unordered_map<StreamId, Stream> streams_;
  StreamScheduler scheduler_;
  std::vector<Deadline> deadlines_;  // a heap, earliest first; entries of ended messages linger
};

}  // namespace paceline
