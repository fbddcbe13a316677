#include "lab/bed/datagrams.h"

#include <algorithm>

namespace qvid::lab {

std::vector<std::vector<std::byte>> cut(const Adu& adu, std::size_t most) {
  const std::size_t room = most - kDatagramHeader;
  const std::size_t filler = adu.bytes - std::min<std::size_t>(adu.bytes, kDatagramHeader);
  const std::size_t count = std::max<std::size_t>(1, (filler + room - 1) / room);
  std::vector<std::vector<std::byte>> datagrams;
  for (std::size_t i = 0, left = filler; i < count; ++i) {
    const std::size_t part = std::min(left, room);
    left -= part;
    std::vector<std::byte>& datagram = datagrams.emplace_back();
    datagram.reserve(kDatagramHeader + part);
    adu.write_header(datagram);
    ByteWriter w(datagram);
    w.u16(static_cast<std::uint16_t>(i));
    w.u16(static_cast<std::uint16_t>(count));
    datagram.resize(kDatagramHeader + part);
  }
  return datagrams;
}

std::optional<Adu> Collector::on_datagram(std::span<const std::byte> datagram) {
  const std::optional<Adu> adu = Adu::parse(datagram);
  if (!adu || datagram.size() < kDatagramHeader) return std::nullopt;
  ByteReader r(datagram.subspan(Adu::kHeader));
  const std::size_t index = r.u16();
  const std::size_t count = r.u16();
  if (index >= count) return std::nullopt;
  if (count == 1) return adu;

  auto unit = std::ranges::find_if(pending_, [&](const Pending& p) {
    return p.adu.frame == adu->frame && p.adu.layer == adu->layer;
  });
  if (unit == pending_.end()) {
    if (pending_.size() == kMostPending) pending_.pop_front();
    pending_.push_back({*adu, std::vector<bool>(count), count});
    unit = std::prev(pending_.end());
  }
  if (unit->seen.size() != count || unit->seen[index]) return std::nullopt;
  unit->seen[index] = true;
  if (--unit->missing > 0) return std::nullopt;
  pending_.erase(unit);
  return adu;
}

}  // namespace qvid::lab
