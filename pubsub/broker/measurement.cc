#include "pubsub/broker/measurement.h"

namespace qps {

bool Measurements::take(qvid::Timestamp ends, qvid::Timestamp now) {
  std::erase_if(running_, [now](qvid::Timestamp each) { return now >= each; });
  if (running_.size() >= most_ || !bytes_.any(kBytes, now)) {
    ++stats_.put_off;
    return false;
  }
  running_.push_back(ends);
  ++stats_.begun;
  return true;
}

void Measurements::note(qvid::ByteCount bytes) {
  stats_.bytes += bytes;
  bytes_.take(static_cast<double>(bytes.value()));
}

Measuring Measurement::begin(const Measure& wanted, qvid::Timestamp now) {
  const qvid::Timestamp ends = now + kMeasuringTime;
  if (now < ends_ || begun_ == kEach || !all_.take(ends, now)) return {.stream = wanted.stream};
  ++begun_;
  ends_ = ends;
  paceline::StreamId stream(wanted.stream);
  down_.reset();
  if (wanted.way == Way::kUp) {
    up_ = stream;
    up_left_ = kMostMeasured;
  } else {
    stream = port_.open_stream();
    down_.emplace(port_, stream, kMostMeasured, ends);
  }
  return {.stream = stream.value(), .bytes = kMostMeasured, .time = kMeasuringTime};
}

void Measurement::start(qvid::Timestamp now) {
  if (down_) down_->fill(now);
}

bool Measurement::on_ended(const paceline::MessageEnded& ended, qvid::Timestamp now) {
  if (!down_) return false;
  const qvid::ByteCount before = down_->delivered();
  if (!down_->on_ended(ended, now)) return false;
  all_.note(down_->delivered() - before);
  return true;
}

bool Measurement::on_arrived(const paceline::MessageArrived& message) {
  const qvid::ByteCount size = message.payload.byte_count();
  if (message.stream != up_ || size > up_left_) return false;
  up_left_ -= size;
  all_.note(size);
  return true;
}

}  // namespace qps
