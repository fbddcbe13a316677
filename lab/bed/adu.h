// Application data units of the experiments: what senders of every kind carry, so that the receiver
// knows when each was produced. A header, then filler:
//
//   size (4)  layer (1)  frame (4)  produced, ns of the steady clock (8)        big-endian
//
// `size` is that of the whole unit. Peers are our own threads, yet a unit that makes no sense is
// refused, since a rival's library lies in between.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/byte_io.h"
#include "base/units.h"

namespace qvid::lab {

struct Adu {
  static constexpr std::size_t kHeader = 17;
  static constexpr std::uint32_t kMostBytes = 4 << 20;

  std::uint32_t bytes = kHeader;
  std::uint8_t layer = 0;
  std::uint32_t frame = 0;
  Timestamp produced{};

  void write_header(std::vector<std::byte>& out) const {
    ByteWriter w(out);
    w.u32(bytes);
    w.u8(layer);
    w.u32(frame);
    w.u64(static_cast<std::uint64_t>(produced.time_since_epoch().count()));
  }
  std::vector<std::byte> encode() const {
    std::vector<std::byte> out;
    out.reserve(bytes);
    write_header(out);
    out.resize(bytes);
    return out;
  }
  // Of the first kHeader bytes.
  static std::optional<Adu> parse(std::span<const std::byte> bytes) {
    ByteReader r(bytes);
    Adu adu;
    adu.bytes = r.u32();
    adu.layer = r.u8();
    adu.frame = r.u32();
    adu.produced = Timestamp(Duration(static_cast<Duration::rep>(r.u64())));
    if (r.failed() || adu.bytes < kHeader || adu.bytes > kMostBytes) return std::nullopt;
    return adu;
  }
};

// Told of a unit that has come as a whole.
using UnitListener = std::function<void(const Adu&, Timestamp)>;

}  // namespace qvid::lab
