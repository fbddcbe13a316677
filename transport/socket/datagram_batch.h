// Datagrams for one call of the system, which cuts them apart again (UDP's segmentation offload, GSO:
// Linux's udp(7), UDP_SEGMENT): to one address, all of one size, but the last, which may be shorter.
//
// Bound: kMost datagrams, kMostBytes. Thread: one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "transport/wire/path_address.h"

namespace paceline {

class DatagramBatch {
 public:
  static constexpr std::size_t kMost = 64;          // UDP_MAX_SEGMENTS of Linux 4.18 to 6.8
  static constexpr std::size_t kMostBytes = 65507;  // what IPv4 and UDP leave of 65,535

  // False: it is not one of these; they have to go first. Precondition: it is not empty, and has no
  // more than kMostBytes.
  bool add(const PathAddress& to, std::span<const std::byte> datagram) {
    if (count_ == 0) {
      to_ = to;
      size_ = datagram.size();
    } else if (to != to_ || datagram.size() > size_ || bytes_.size() != count_ * size_ ||
               count_ == kMost || bytes_.size() + datagram.size() > kMostBytes) {
      return false;
    }
    const std::size_t size = bytes_.size() + datagram.size();
    if (size > bytes_.capacity()) bytes_.reserve(size > kKept ? kMostBytes : kKept);
    bytes_.insert(bytes_.end(), datagram.begin(), datagram.end());
    ++count_;
    return true;
  }
  void clear() {
    count_ = 0;
    bytes_.clear();
    // Who sends that much at once is not to keep the memory for it, as one of thousands.
    if (bytes_.capacity() > kKept) std::vector<std::byte>().swap(bytes_);
  }

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  const PathAddress& to() const { return to_; }
  // Of each but the last.
  std::size_t size() const { return size_; }
  // All of them, one behind the other.
  std::span<const std::byte> bytes() const { return bytes_; }
  // Precondition: i < count().
  std::span<const std::byte> datagram(std::size_t i) const {
    const std::size_t begin = i * size_;
    return bytes().subspan(begin, std::min(size_, bytes_.size() - begin));
  }

 private:
  static constexpr std::size_t kKept = 16 * 1024;  // bytes: a frame of video at 4 Mbit/s

  PathAddress to_;
  std::size_t size_ = 0;
  std::size_t count_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace paceline
