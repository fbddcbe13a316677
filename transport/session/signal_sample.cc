#include "transport/session/signal_sample.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace paceline {

SignalSample sample_of(const SessionSignals& s, const std::vector<StreamSignals>& streams) {
  const auto bytes = [](ByteCount b) { return static_cast<double>(b.value()); };
  const auto count = [](auto n) { return static_cast<double>(n); };
  SignalSample sample;
  sample.values = {qvid::to_ms(s.rtt),
                   qvid::to_ms(s.rtt_low),
                   qvid::to_ms(s.base_rtt),
                   s.bandwidth.kbps(),
                   s.pressure,
                   bytes(s.window),
                   count(s.competing),
                   bytes(s.unacked),
                   qvid::to_ms(s.oldest_unacked),
                   bytes(s.allowance),
                   bytes(s.queued),
                   count(s.queued_messages),
                   bytes(s.sent),
                   bytes(s.acked),
                   bytes(s.cancelled),
                   count(s.messages_delivered),
                   count(s.messages_cancelled),
                   bytes(s.received),
                   count(s.channels),
                   count(s.failovers),
                   count(s.peer_failovers),
                   count(s.resumptions),
                   count(s.interrupted),
                   count(s.small_segments),
                   count(s.lanes_sent),
                   count(s.lanes_received),
                   count(s.udp),
                   count(s.datagrams),
                   count(s.datagrams_received),
                   count(s.datagrams_lost),
                   qvid::to_ms(s.held)};
  // A controller without a bound (`none`) has a window and an allowance beyond all measure.
  for (double& value : sample.values) {
    if (!std::isfinite(value)) value = 0;
    value = std::clamp(value, -SignalSample::kMaxSignal, SignalSample::kMaxSignal);
  }
  for (const StreamSignals& stream : streams) {
    if (stream.messages > 0) sample.queues.push_back({stream.stream.value(), stream.bytes});
  }
  if (sample.queues.size() > kMaxQueues) {
    std::ranges::nth_element(sample.queues, sample.queues.begin() + kMaxQueues, std::greater{},
                             &SignalSample::Queue::bytes);
    sample.queues.resize(kMaxQueues);
    std::ranges::sort(sample.queues, {}, &SignalSample::Queue::stream);
  }
  return sample;
}

}  // namespace paceline
