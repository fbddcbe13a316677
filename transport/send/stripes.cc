#include "transport/send/stripes.h"

#include <utility>

namespace paceline {
namespace {

// It fits into what the kernel may send at once, and waits behind no repair.
bool takes(const SocketSample& socket, ByteCount size) {
  return socket.cwnd > 0 && socket.sacked == 0 &&
         socket.unacked + size <= socket.mss * static_cast<std::int64_t>(socket.cwnd);
}

}  // namespace

const Stripes::Stripe* Stripes::find(ChannelId channel) const {
  for (const auto& stripe : stripes_) {
    if (stripe && stripe->channel == channel) return &*stripe;
  }
  return nullptr;
}

Stripes::Stripe* Stripes::find(ChannelId channel) {
  return const_cast<Stripe*>(std::as_const(*this).find(channel));
}

void Stripes::use(const std::array<std::optional<ChannelId>, kMost>& channels) {
  std::array<std::optional<Stripe>, kMost> next;
  for (std::size_t i = 0; i < kMost; ++i) {
    if (!channels[i]) continue;
    const Stripe* before = find(*channels[i]);
    next[i] = before != nullptr ? *before : Stripe{.channel = *channels[i], .socket = {}};
  }
  stripes_ = next;
}

void Stripes::on_socket(ChannelId channel, const SocketSample& sample) {
  if (Stripe* stripe = find(channel)) stripe->socket = sample;
}

bool Stripes::active_is_full(ByteCount size) const {
  return active_.cwnd > 0 && !takes(active_, size);
}

std::optional<ChannelId> Stripes::better_for(ByteCount size) const {
  if (!active_is_full(size)) return std::nullopt;
  for (const auto& stripe : stripes_) {
    if (stripe && takes(stripe->socket, size)) return stripe->channel;
  }
  return std::nullopt;
}

void Stripes::on_written(ChannelId channel, ByteCount bytes) {
  if (Stripe* stripe = find(channel)) stripe->socket.unacked += bytes;
}

ByteCount Stripes::under_way() const {
  ByteCount sum;
  for (const auto& stripe : stripes_) {
    if (stripe) sum += stripe->socket.under_way();
  }
  return sum;
}

}  // namespace paceline
