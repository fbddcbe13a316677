#include "transport/send/send_queue.h"

#include <algorithm>

#include "transport/wire/record.h"

namespace paceline {
namespace {

constexpr std::size_t kStaleDeadlines = 1024;  // lingering entries that are not worth a sweep

// Heap order: earliest first.
constexpr auto later = [](const auto& a, const auto& b) { return a.at > b.at; };

}  // namespace

SendQueue::SendQueue(ByteCount capacity, ByteCount reassembly_budget, Fairness fairness)
    : capacity_(capacity), reassembly_budget_(reassembly_budget), fairness_(fairness) {}

void SendQueue::open_stream(StreamId stream, double weight, bool lasting) {
  const auto [it, added] = streams_.try_emplace(stream, GoesBefore{&comparisons_});
  if (!added) return;
  it->second.lasting = lasting;
  scheduler_.add(stream, weight);
}

ByteCount SendQueue::bytes(StreamId stream) const {
  const auto it = streams_.find(stream);
  return it == streams_.end() ? ByteCount() : it->second.bytes;
}

bool SendQueue::room_again() {
  if (!refused_ || bytes_ + std::max(*refused_, capacity_ / 2) > capacity_ ||
      waiting_ > kMaxWaiting / 2) {
    return false;
  }
  refused_.reset();
  return true;
}

std::optional<MessageId> SendQueue::push(StreamId stream_id, Message message) {
  const ByteCount size = message.payload.byte_count();
  if (bytes_ + size > capacity_ || waiting_ >= kMaxWaiting) {
    refused_ = size;
    return std::nullopt;
  }
  Stream& stream = streams_.at(stream_id);
  Slot slot;
  if (free_.empty()) {
    slot = static_cast<Slot>(nodes_.size());
    nodes_.emplace_back().slot = slot;
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  Node& node = nodes_[slot];
  node.waiting = true;
  node.stream = stream_id;
  node.number = stream.next_number++;
  node.importance = message.importance;
  node.position = message.position;
  node.age = arrivals_++;
  node.sent = 0;
  node.payload = std::move(message.payload);
  node.quality = message.quality;
  node.deadline = stream.lasting ? message.deadline : qvid::kNever;
  node.in_any_order = message.in_any_order;
  stream.order.insert(stream.order.end(), node);
  if (stream.messages++ == 0) scheduler_.activate(stream_id);
  ++waiting_;
  if (is_urgent(node)) ++urgent_;
  bytes_ += size;
  stream.bytes += size;
  const MessageId id = id_of(slot, node.generation);
  if (message.deadline != qvid::kNever) {
    if (deadlines_.size() > 2 * waiting_ + kStaleDeadlines) drop_stale_deadlines();
    deadlines_.push_back({message.deadline, id});
    std::push_heap(deadlines_.begin(), deadlines_.end(), later);
  }
  return id;
}

// A message pays chunk by chunk, so that what is cancelled half-way has paid for its half.
double SendQueue::cost(const Node& node, std::size_t bytes) const {
  if (fairness_ == Fairness::kResource) return static_cast<double>(bytes);
  if (node.payload.empty()) return node.quality;
  return node.quality * static_cast<double>(bytes) / static_cast<double>(node.payload.size());
}

bool SendQueue::goes_before(const Node& a, const Node& b) {
  if (a.importance != b.importance) return a.importance > b.importance;
  if (a.position != b.position) return a.position < b.position;
  return a.age < b.age;
}

SendQueue::Node& SendQueue::best_begun() {
  return nodes_[*std::min_element(begun_.begin(), begun_.end(), [this](Slot a, Slot b) {
    return goes_before(nodes_[a], nodes_[b]);
  })];
}

std::optional<OutgoingChunk> SendQueue::pop(std::size_t max_bytes) {
  const auto turn = scheduler_.next();
  if (!turn) return std::nullopt;
  Node& node = *best(streams_.at(*turn));
  if (is_urgent(node)) max_bytes = std::max(max_bytes, kMostUrgent);
  const bool needs_budget = node.sent == 0 && node.payload.size() > max_bytes;
  if (needs_budget && !begun_.empty() &&
      (begun_.size() >= kMaxBegun ||
       begun_bytes_ + node.payload.byte_count() > reassembly_budget_)) {
    return take_chunk(best_begun(), max_bytes);  // the receiver cannot hold another
  }
  return take_chunk(node, max_bytes);
}

std::optional<SendQueue::InAnyOrder> SendQueue::next_in_any_order() {
  const auto turn = scheduler_.next();
  if (!turn) return std::nullopt;
  const Node& node = *best(streams_.at(*turn));
  if (node.sent > 0 || !node.in_any_order || node.deadline == qvid::kNever) return std::nullopt;
  return InAnyOrder{node.payload.size(), node.importance};
}

std::optional<OutgoingChunk> SendQueue::pop_urgent() {
  return pop_urgent_if([](const Node&) { return true; });
}

std::optional<OutgoingChunk> SendQueue::pop_for_lanes() {
  return pop_urgent_if([](const Node& node) { return node.deadline != qvid::kNever; });
}

template <class F>
std::optional<OutgoingChunk> SendQueue::pop_urgent_if(F&& fits) {
  if (urgent_ == 0) return std::nullopt;
  Node* next = nullptr;
  for (auto& [id, stream] : streams_) {
    Node* const node = best(stream);
    if (node == nullptr || !is_urgent(*node) || !fits(*node)) continue;
    if (next == nullptr || goes_before(*node, *next)) next = node;
  }
  // Behind a large one of the same importance it waits for its turn.
  if (next == nullptr) return std::nullopt;
  return take_chunk(*next, kMostUrgent);
}

OutgoingChunk SendQueue::take_chunk(Node& node, std::size_t max_bytes) {
  const std::size_t size = std::min(max_bytes, node.payload.size() - node.sent);
  OutgoingChunk chunk{.message = id_of(node.slot, node.generation),
                      .stream = node.stream,
                      .number = node.number,
                      .first = node.sent == 0,
                      .last = node.sent + size == node.payload.size(),
                      .message_size = node.payload.byte_count(),
                      .importance = node.importance,
                      .position = node.position,
                      .offset = node.sent,
                      .bytes = node.payload.slice(node.sent, size),
                      .deadline = node.deadline};
  scheduler_.charge(node.stream, cost(node, size));
  node.sent += size;
  bytes_ -= ByteCount::of(size);
  streams_.at(node.stream).bytes -= ByteCount::of(size);
  if (chunk.last) {
    take_out(node);
  } else if (chunk.first) {
    begun_.push_back(node.slot);
    begun_bytes_ += chunk.message_size;
  }
  return chunk;
}

SendQueue::Node* SendQueue::find(MessageId message) {
  const auto slot = static_cast<Slot>(message.value() & 0xffffffffu);
  if (slot >= nodes_.size()) return nullptr;
  Node& node = nodes_[slot];
  return node.waiting && id_of(slot, node.generation) == message ? &node : nullptr;
}

SendQueue::Removed SendQueue::take_out(Node& node) {
  Stream& stream = streams_.at(node.stream);
  const Removed removed{.message = id_of(node.slot, node.generation),
                        .stream = node.stream,
                        .number = node.number,
                        .sent = ByteCount::of(node.sent),
                        .size = node.payload.byte_count(),
                        .begun = node.sent > 0};
  stream.order.erase(Order::s_iterator_to(node));
  if (removed.begun) {
    // Not there where it was written whole, at once.
    const auto it = std::find(begun_.begin(), begun_.end(), node.slot);
    if (it != begun_.end()) {
      *it = begun_.back();
      begun_.pop_back();
      begun_bytes_ -= removed.size;
    }
  }
  const ByteCount unsent = removed.size - removed.sent;
  bytes_ -= unsent;
  stream.bytes -= unsent;
  --waiting_;
  if (is_urgent(node)) --urgent_;
  if (--stream.messages == 0) scheduler_.deactivate(node.stream);
  release(node);
  return removed;
}

void SendQueue::release(Node& node) {
  node.waiting = false;
  node.payload = {};
  ++node.generation;
  free_.push_back(node.slot);
}

std::optional<SendQueue::Removed> SendQueue::remove(MessageId message) {
  Node* const node = find(message);
  if (node == nullptr) return std::nullopt;
  return take_out(*node);
}

std::optional<SendQueue::Removed> SendQueue::remove_expired(Timestamp now) {
  while (!deadlines_.empty() && deadlines_.front().at <= now) {
    std::pop_heap(deadlines_.begin(), deadlines_.end(), later);
    const MessageId message = deadlines_.back().message;
    deadlines_.pop_back();
    if (auto removed = remove(message)) return removed;
  }
  return std::nullopt;
}

std::optional<SendQueue::Removed> SendQueue::remove_begun_in_any_order() {
  for (const Slot slot : begun_) {
    Node& node = nodes_[slot];
    if (node.in_any_order && node.deadline != qvid::kNever) return take_out(node);
  }
  return std::nullopt;
}

std::optional<SendQueue::Removed> SendQueue::close_stream(StreamId stream_id) {
  const auto it = streams_.find(stream_id);
  if (it == streams_.end()) return std::nullopt;
  if (Node* const node = best(it->second); node != nullptr) return take_out(*node);
  scheduler_.remove(stream_id);
  streams_.erase(it);
  return std::nullopt;
}

std::optional<SendQueue::Removed> SendQueue::remove_any() {
  const auto turn = scheduler_.next();
  if (!turn) return std::nullopt;
  return take_out(*best(streams_.at(*turn)));
}

void SendQueue::drop_stale_deadlines() {
  std::erase_if(deadlines_, [this](const Deadline& d) { return find(d.message) == nullptr; });
  std::make_heap(deadlines_.begin(), deadlines_.end(), later);
}

}  // namespace paceline
