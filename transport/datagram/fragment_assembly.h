// Messages of which parts have come by datagrams, until they are whole; each is given once.
//
// Bound: kMost messages and `most` bytes; beyond, the message with the lowest number goes: it is the
// oldest, and its sender has given it up or sends it again another way. Pure. Thread: one at a time.
#pragma once

#include <map>
#include <optional>

#include "base/payload.h"
#include "base/result.h"
#include "transport/datagram/byte_ranges.h"
#include "transport/datagram/datagram_frame.h"
#include "transport/wire/duplicate_filter.h"

namespace paceline {

class FragmentAssembly {
 public:
  static constexpr std::size_t kMost = 256;
  static constexpr ByteCount kMostBytes = qvid::operator""_MiB(2);

  struct Whole {
    Fragment fields;  // without its bytes
    Payload bytes;
  };

  void hold_at_most(ByteCount bytes) { most_ = std::min(bytes, kMostBytes); }

  // The message, where this part was the last one. An error is a breach of the rules by the peer.
  qvid::Result<std::optional<Whole>> on_fragment(const Fragment& f) {
    if (is_done(f.number)) return std::optional<Whole>();
    if (f.bytes.size() == f.size) {
      done_.take(f.number);
      drop(f.number);
      return std::optional(Whole{without_bytes(f), Payload::copy_of(f.bytes)});
    }
    auto it = parts_.find(f.number);
    if (it == parts_.end()) {
      if (ByteCount::of(f.size) > most_) return std::optional<Whole>();
      while (parts_.size() >= kMost || bytes_ + ByteCount::of(f.size) > most_) {
        if (f.number < parts_.begin()->first) return std::optional<Whole>();
        drop(parts_.begin()->first);
      }
      it = parts_.emplace(f.number, Part{without_bytes(f), qvid::PayloadBuilder(f.size), {}}).first;
      bytes_ += ByteCount::of(f.size);
    }
    auto& [fields, bytes, have] = it->second;
    if (fields.size != f.size || fields.stream != f.stream) {
      return qvid::Error{"two messages of one number"};
    }
    if (have.add(f.offset, f.offset + f.bytes.size()) > 0) {
      // Not the one of ranges, which copies byte by byte before GCC 13.
      std::copy(f.bytes.begin(), f.bytes.end(), bytes.bytes().subspan(f.offset).begin());
    }
    if (have.bytes() < f.size) return std::optional<Whole>();
    std::optional<Whole> done = Whole{fields, std::move(bytes).take()};
    done_.take(f.number);
    drop(f.number);
    return done;
  }

  std::size_t messages() const { return parts_.size(); }
  ByteCount bytes() const { return bytes_; }

 private:
  struct Part {
    Fragment fields;
    qvid::PayloadBuilder bytes;  // nobody sees them before all have come
    ByteRanges have;
  };
  static Fragment without_bytes(Fragment f) {
    f.bytes = {};
    return f;
  }
  bool is_done(std::uint64_t number) const {
    if (number >= done_.next()) return false;
    return number + DuplicateFilter::kSize < done_.next() || done_.has(number);
  }
  void drop(std::uint64_t number) {
    const auto it = parts_.find(number);
    if (it == parts_.end()) return;
    bytes_ -= ByteCount::of(it->second.fields.size);
    parts_.erase(it);
  }

  ByteCount most_ = kMostBytes;
  ByteCount bytes_;
  std::map<std::uint64_t, Part> parts_;
  DuplicateFilter done_;
};

}  // namespace paceline
