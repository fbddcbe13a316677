#include "lab/emulator/fq_codel.h"

#include <algorithm>
#include <utility>

#include "lab/emulator/flow_key.h"

namespace qvid::lab {

// The longest queue makes room after a push, so each takes a packet more than all may hold.
FqCodel::FqCodel(ByteCount limit, std::uint64_t seed) : limit_(limit), seed_(seed) {
  for (std::size_t i = 0; i < kBins; ++i) bins_.emplace_back(limit + kQuantum);
}

template <class F>
void FqCodel::count(Bin& bin, F f) {
  const ByteCount bytes = bin.queue.bytes();
  const std::uint64_t dropped = bin.queue.dropped();
  const std::uint64_t marked = bin.queue.marked();
  f(bin.queue);
  bytes_ += bin.queue.bytes() - bytes;
  dropped_ += bin.queue.dropped() - dropped;
  marked_ += bin.queue.marked() - marked;
}

void FqCodel::drop_from_the_longest() {
  const auto longest =
      std::ranges::max_element(bins_, {}, [](const Bin& bin) { return bin.queue.bytes(); });
  count(*longest, [](Codel& queue) { queue.drop_first(); });
}

void FqCodel::push(Packet packet, Timestamp now) {
  const std::size_t index = FlowKey::of(packet.bytes).hash(seed_) % kBins;
  Bin& bin = bins_[index];
  count(bin, [&](Codel& queue) { queue.push(std::move(packet), now); });
  if (bin.turn == Turn::kNone) {
    bin.turn = Turn::kNew;
    bin.deficit = kQuantum;
    new_.push_back(index);
  }
  while (bytes_ > limit_) drop_from_the_longest();
}

std::optional<Packet> FqCodel::pop(Timestamp now) {
  for (;;) {
    std::deque<std::size_t>& turns = new_.empty() ? old_ : new_;
    if (turns.empty()) return std::nullopt;
    const std::size_t index = turns.front();
    Bin& bin = bins_[index];
    const auto to_the_end_of_old = [&] {
      turns.pop_front();
      bin.turn = Turn::kOld;
      old_.push_back(index);
    };
    if (bin.deficit <= ByteCount()) {
      bin.deficit += kQuantum;
      to_the_end_of_old();
      continue;
    }
    bin.queue.set_beside(bytes_ - bin.queue.bytes());
    std::optional<Packet> packet;
    count(bin, [&](Codel& queue) { packet = queue.pop(now); });
    if (packet) {
      bin.deficit -= packet->size();
      return packet;
    }
    // One that has become empty is not new again before the others had their turn.
    if (bin.turn == Turn::kNew && !old_.empty()) {
      to_the_end_of_old();
    } else {
      turns.pop_front();
      bin.turn = Turn::kNone;
    }
  }
}

}  // namespace qvid::lab
