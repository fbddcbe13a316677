// What goes in a datagram: whole messages and parts of them.
#include "transport/datagram/datagram_path.h"

namespace paceline {
namespace {

constexpr std::size_t kLeastPiece = 512;
constexpr std::size_t kForAck = 40;  // bytes: of few ranges

}  // namespace

// The fragment of the newest piece.
void DatagramPath::write_newest(const SentDatagrams::Datagram& sent, bool last) {
  const Fragment fragment = outgoing_.fragment(sent.pieces[sent.count - 1]);
  if (!short_fragments_) return write_frame(fragment, frames_);
  std::optional<Fragment> before;
  if (sent.count > 1) before = outgoing_.fragment(sent.pieces[sent.count - 2]);
  write_short(fragment, before ? &*before : nullptr, last, frames_);
}

// Bytes of frames.
std::size_t DatagramPath::fits() const {
  return size_ - kDatagramAround - (covers() ? kMostParityFields : 0);
}

// Of these so many are taken by what is no content, and by copies.
std::size_t DatagramPath::most_frames(std::size_t taken) const {
  return std::min(fits(), std::max(chunk_, kLeastPiece) + kMostFragmentFields + taken);
}

ByteCount DatagramPath::write_pieces(SentDatagrams::Datagram& sent, bool content, Timestamp now) {
  std::size_t most = fits();
  // For the bytes of a further piece.
  const auto room = [&] {
    const std::size_t taken = frames_.size() + kMostFragmentFields;
    return sent.count < SentDatagrams::kMostPieces && taken < most ? most - taken : 0;
  };
  std::size_t begins = 0;  // the fragment that was written last
  const auto write = [&](const OutgoingDatagrams::Piece& piece) {
    begins = frames_.size();
    sent.pieces[sent.count++] = piece;
    write_newest(sent, false);
    sent.content += ByteCount::of(piece.end - piece.begin);
    sent.asks = true;
  };
  // Copies first, since what is new fills the rest; but none makes a datagram of its own.
  constexpr std::size_t kBehind = kLeastPiece + kMostFragmentFields;
  const bool more = outgoing_.has_again() || (content && outgoing_.has_fresh());
  // Of what is urgent with whatever goes; of what is important not beside what is beyond the gate.
  const bool granted = content && outgoing_.has_fresh() && !outgoing_.next_fresh().urgent;
  while (more && sent.count + 1 < SentDatagrams::kMostPieces && room() > kBehind) {
    auto copy = outgoing_.take_copy(room() - kBehind, now);
    if (!copy && granted)
      copy = outgoing_.take_important_copy(room() - kBehind, sent_.rtt().rtt(), now);
    if (!copy) break;
    write(*copy);
    ++sent.copies;
  }
  ByteCount fresh;
  most = most_frames(frames_.size());
  while (room() > 0) {
    // No crumbs: so that the parts of a message are few (ByteRanges::kMost).
    const bool whole = !outgoing_.has_again() && outgoing_.fresh_left() <= room();
    if (sent.count > 0 && room() < kLeastPiece && !whole) break;
    auto piece = outgoing_.take_again(room());
    const bool again = piece.has_value();
    if (!piece && content) piece = outgoing_.take_fresh(room(), sent_.rtt().rtt(), now);
    if (!piece) break;
    write(*piece);
    if (!again) fresh += ByteCount::of(piece->end - piece->begin);
  }
  if (short_fragments_ && sent.count > 0) {  // nothing follows it, as is known now
    frames_.resize(begins);
    write_newest(sent, true);
  }
  return fresh;
}

bool DatagramPath::has_room(std::size_t bytes) const {
  if (covers() || outgoing_.has_again() || outgoing_.has_copy()) return false;
  if (outgoing_.fresh_messages() >= SentDatagrams::kMostPieces) return false;
  const auto waits = static_cast<std::size_t>(outgoing_.fresh_bytes().value());
  const std::size_t fields = (outgoing_.fresh_messages() + 1) * kMostFragmentFields;
  return waits + bytes + fields + kForAck <= most_frames(kForAck);
}

}  // namespace paceline
