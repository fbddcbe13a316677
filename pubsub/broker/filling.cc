#include "pubsub/broker/filling.h"

#include <algorithm>
#include <utility>

namespace qps {
namespace {

qvid::Payload filling_bytes() {
  qvid::PayloadBuilder builder(Filling::kMessage.size());
  std::ranges::fill(builder.bytes(), std::byte{0x5a});
  return std::move(builder).take();
}

}  // namespace

Filling::Filling(Port& port, paceline::StreamId stream, qvid::ByteCount most, qvid::Timestamp ends)
    : port_(port), stream_(stream), left_(most), ends_(ends), bytes_(filling_bytes()) {}

void Filling::fill(qvid::Timestamp now) {
  while (now < ends_ && left_ >= kMessage && under_way_ + kMessage <= kAhead) {
    if (!port_.send(stream_, {.importance = {},
                              .position = paceline::Position(sent_),
                              .deadline = ends_,
                              .payload = bytes_})) {
      return;  // its queue is full: more when something of it has ended
    }
    ++sent_;
    left_ -= kMessage;
    under_way_ += kMessage;
  }
}

bool Filling::on_ended(const paceline::MessageEnded& ended, qvid::Timestamp now) {
  if (ended.stream != stream_) return false;
  under_way_ -= ended.size;
  if (ended.outcome == paceline::Outcome::kDelivered) delivered_ += ended.size;
  fill(now);
  return true;
}

}  // namespace qps
