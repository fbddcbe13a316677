// What goes to the socket in one write: headers in a block of their own and payloads by reference,
// for a scatter-gather write without a copy.
#pragma once

#include <cstddef>
#include <vector>

#include "base/payload.h"

namespace paceline {

class WriteBatch {
 public:
  // A payload shorter than this is copied behind its header: that is cheaper than a piece of its
  // own.
  static constexpr std::size_t kCopyBelow = 512;

  void clear() {
    headers_.clear();
    pieces_.clear();
    size_ = 0;
  }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // Appends whatever `write` appends to the vector it is given.
  template <class F>
  void add_header(F&& write) {
    const std::size_t before = headers_.size();
    write(headers_);
    extend_header(headers_.size() - before);
  }
  void add_payload(qvid::Payload payload) {
    if (payload.size() < kCopyBelow) {
      const auto bytes = payload.bytes();
      headers_.insert(headers_.end(), bytes.begin(), bytes.end());
      extend_header(bytes.size());
      return;
    }
    size_ += payload.size();
    pieces_.push_back({.payload = std::move(payload)});
  }

  // Calls f(span) for each contiguous run, in order. Valid until the batch changes.
  template <class F>
  void for_each(F&& f) const {
    std::size_t offset = 0;
    for (const Piece& p : pieces_) {
      if (p.header_bytes > 0) {
        f(std::span<const std::byte>(headers_).subspan(offset, p.header_bytes));
        offset += p.header_bytes;
      } else {
        f(p.payload.bytes());
      }
    }
  }

 private:
  struct Piece {
    std::size_t header_bytes = 0;  // of headers_, behind the earlier pieces'; 0: the payload
    qvid::Payload payload;
  };
  void extend_header(std::size_t bytes) {
    if (bytes == 0) return;
    size_ += bytes;
    if (!pieces_.empty() && pieces_.back().header_bytes > 0) {
      pieces_.back().header_bytes += bytes;
    } else {
      pieces_.push_back({.header_bytes = bytes, .payload = {}});
    }
  }

  std::vector<std::byte> headers_;
  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
};

}  // namespace paceline
