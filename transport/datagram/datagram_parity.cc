// What parities do to a path of datagrams (parity.h).
#include <algorithm>

#include "transport/datagram/datagram_path.h"

namespace paceline {
namespace {

// A parity costs a quarter of what it covers at the most.
constexpr std::size_t kLeastCovered = 4;

}  // namespace

// Of what it restores only the content is of use: acknowledgements in it are old.
void DatagramPath::on_parity(const Parity& parity, Timestamp now, News& news) {
  const auto restored = parities_.on_parity(parity, came_, now);
  if (!restored) return;
  FrameReader reader(restored->frames);
  for (std::size_t fragments = 0;;) {
    const DatagramFrame frame = reader.next();
    if (std::holds_alternative<DatagramEnd>(frame)) break;
    const auto* f = std::get_if<Fragment>(&frame);
    if (std::holds_alternative<DatagramWrong>(frame) ||
        (f != nullptr && ++fragments > SentDatagrams::kMostPieces)) {
      news.wrong = "a parity of something else";
    }
    if (f != nullptr) on_fragment(*f, news);
    if (news.wrong != nullptr) return;
  }
  if (restored_.size() < DatagramAck::kMost) restored_.push_back(restored->number);
}

void DatagramPath::on_restored(std::uint64_t number, News& news) {
  if (sent_.never_sent(number)) {
    news.wrong = "a datagram is restored that was never sent";
    return;
  }
  if (const auto d = sent_.on_restored(number)) on_pieces(*d, news);
}

// What would come after a repair is of no use.
bool DatagramPath::parity_is_due(Timestamp now) {
  if (parity_.covered() > 0 && now > parity_.began() + sent_.rtt().rtt()) parity_.begin_anew();
  return now >= parity_at();
}

// Apart from what it covers, but while it is of use, and it covers no more than it can.
Timestamp DatagramPath::parity_at() const {
  if (parity_.covered() < kLeastCovered) return qvid::kNever;
  if (parity_.full(sent_.next())) return parity_.ended();
  if (outgoing_.has_fresh() || outgoing_.has_again()) return qvid::kNever;
  const Duration rtt = sent_.rtt().rtt();
  const Duration apart = OutgoingDatagrams::apart(rtt);
  return std::clamp(parity_.began() + rtt - apart, parity_.ended(), parity_.ended() + apart);
}

}  // namespace paceline
