// A lock-free queue between a device's callback and the sound thread: one of them puts, the other
// takes. Neither ever waits for the other or allocates.
//
// Bound: the capacity given. Where what is put does not fit whole, all of it is dropped: what is
// there already is the older and comes first, and frames stay whole.
//
// Thread: put() one; take(), drop() one; size() either of the two.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace qvid::media {

template <class T>
class SpscRing {
 public:
  // At least `capacity` fit.
  explicit SpscRing(std::size_t capacity)
      : slots_(std::bit_ceil(std::max<std::size_t>(capacity, 2))) {}

  std::size_t capacity() const { return slots_.size(); }
  std::size_t size() const {
    const std::uint64_t taken = taken_.load(std::memory_order_acquire);
    return static_cast<std::size_t>(put_.load(std::memory_order_acquire) - taken);
  }

  // False: no room, nothing was put.
  bool put(std::span<const T> values) {
    const std::uint64_t at = put_.load(std::memory_order_relaxed);
    const std::uint64_t used = at - taken_.load(std::memory_order_acquire);
    if (values.size() > slots_.size() - static_cast<std::size_t>(used)) return false;
    const std::size_t begin = slot(at);
    const std::size_t first = std::min(values.size(), slots_.size() - begin);
    std::copy_n(values.begin(), first, slots_.data() + begin);
    std::copy(values.begin() + static_cast<std::ptrdiff_t>(first), values.end(), slots_.data());
    put_.store(at + values.size(), std::memory_order_release);
    return true;
  }
  // As many as there are, at most what fits; how many.
  std::size_t take(std::span<T> values) {
    const std::uint64_t at = taken_.load(std::memory_order_relaxed);
    const std::size_t count = std::min(values.size(), available(at));
    const std::size_t begin = slot(at);
    const std::size_t first = std::min(count, slots_.size() - begin);
    std::copy_n(slots_.data() + begin, first, values.data());
    std::copy_n(slots_.data(), count - first, values.data() + first);
    taken_.store(at + count, std::memory_order_release);
    return count;
  }
  // The oldest, unseen; how many.
  std::size_t drop(std::size_t at_most) {
    const std::uint64_t at = taken_.load(std::memory_order_relaxed);
    const std::size_t count = std::min(at_most, available(at));
    taken_.store(at + count, std::memory_order_release);
    return count;
  }

 private:
  std::size_t slot(std::uint64_t index) const {
    return static_cast<std::size_t>(index) & (slots_.size() - 1);
  }
  std::size_t available(std::uint64_t at) const {
    return static_cast<std::size_t>(put_.load(std::memory_order_acquire) - at);
  }

  std::vector<T> slots_;  // a power of two
  // Of all time. On cache lines of their own: each is written by one thread.
  alignas(64) std::atomic<std::uint64_t> put_{0};
  alignas(64) std::atomic<std::uint64_t> taken_{0};
};

using SoundRing = SpscRing<float>;

}  // namespace qvid::media
