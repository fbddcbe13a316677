#include "transport/receive/reassembly.h"

#include <algorithm>
#include <utility>

namespace paceline {

using qvid::Error;
using qvid::Payload;

namespace {

constexpr std::size_t kMaxSpare = 64;  // more are seldom begun at once
constexpr std::size_t kMostClosed = 64;

}  // namespace

void Reassembly::hold_at_most(ByteCount bytes) {
  constexpr std::size_t kOfOne = 1024;
  most_bytes_ = std::min(bytes, limits_.max_reassembly);
  most_begun_ = most_bytes_ == limits_.max_reassembly
                    ? kMaxBegun
                    : std::max<std::size_t>(1, bytes.size() / kOfOne);
}

qvid::Result<std::optional<MessageArrived>> Reassembly::on_chunk(const Chunk& c) {
  if (c.first) return begin(c);
  const auto it = partial_.find({c.stream, c.number});
  if (it == partial_.end()) return Error{"a chunk of a message that has not begun"};
  Partial& p = it->second;
  if (c.offset != p.payload.filled()) return Error{"a chunk out of its place"};
  if (c.bytes.empty()) return Error{"an empty chunk inside a message"};
  if (!p.payload.append(c.bytes)) return Error{"a message longer than it announced"};
  if (p.payload.complete() != c.last)
    return Error{"a message that ends before or after its last chunk"};
  if (!c.last) return std::optional<MessageArrived>{};
  MessageArrived arrived{c.stream, p.importance, p.position, {}};
  arrived.payload = take_out(it);
  return std::optional(std::move(arrived));
}

std::optional<Error> Reassembly::check(StreamId stream, std::uint64_t size) {
  if (size > static_cast<std::uint64_t>(limits_.max_message.value())) {
    return Error{"a message of " + std::to_string(size) + " bytes; the limit is " +
                 std::to_string(limits_.max_message.value())};
  }
  if (streams_.contains(stream)) return std::nullopt;
  if (streams_.size() >= limits_.max_streams) return Error{"more streams than allowed"};
  streams_.insert(stream);
  return std::nullopt;
}

qvid::Result<bool> Reassembly::on_whole_message(StreamId stream, std::size_t size) {
  if (!streams_.contains(stream) && std::ranges::find(closed_, stream) != closed_.end())
    return false;
  if (auto error = check(stream, size)) return *std::move(error);
  return true;
}

qvid::Result<std::optional<MessageArrived>> Reassembly::begin(const Chunk& c) {
  if (auto error = check(c.stream, c.message_size)) return *std::move(error);
  if (partial_.contains({c.stream, c.number})) return Error{"a message that begins twice"};
  if (c.last) {
    if (c.bytes.size() != c.message_size) return Error{"a message shorter than it announced"};
    return std::optional(
        MessageArrived{c.stream, c.importance, c.position, Payload::copy_of(c.bytes)});
  }
  const ByteCount size = ByteCount(static_cast<std::int64_t>(c.message_size));
  if (c.bytes.size() >= c.message_size) return Error{"a message longer than it announced"};
  if (c.bytes.empty()) return Error{"an empty chunk inside a message"};
  if (partial_.size() >= most_begun_ ||
      (!partial_.empty() && partial_bytes_ + size > most_bytes_)) {
    return Error{"more messages begun at once than allowed"};
  }
  const Key key{c.stream, c.number};
  Partial begun{qvid::PayloadBuilder(size.size()), c.importance, c.position};
  Partials::iterator it;
  if (spare_.empty()) {
    it = partial_.try_emplace(key, std::move(begun)).first;
  } else {
    Partials::node_type node = std::move(spare_.back());
    spare_.pop_back();
    node.key() = key;
    node.mapped() = std::move(begun);
    it = partial_.insert(std::move(node)).position;
  }
  it->second.payload.append(c.bytes);
  partial_bytes_ += size;
  return std::optional<MessageArrived>{};
}

void Reassembly::drop(Partials::iterator it) { take_out(it); }

Payload Reassembly::take_out(Partials::iterator it) {
  Payload payload = std::move(it->second.payload).take();
  partial_bytes_ -= payload.byte_count();
  if (spare_.size() < kMaxSpare) {
    spare_.push_back(partial_.extract(it));
  } else {
    partial_.erase(it);
  }
  return payload;
}

void Reassembly::on_cancel(const Cancel& cancel) {
  if (const auto it = partial_.find({cancel.stream, cancel.number}); it != partial_.end()) drop(it);
}

bool Reassembly::on_stream_close(StreamId stream) {
  if (closed_.size() < kMostClosed) {
    closed_.push_back(stream);
  } else {
    closed_[closed_next_++ % kMostClosed] = stream;
  }
  if (streams_.erase(stream) == 0) return false;
  auto it = partial_.lower_bound({stream, 0});
  while (it != partial_.end() && it->first.stream == stream) drop(it++);
  return true;
}

}  // namespace paceline
