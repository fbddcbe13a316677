// What the pictures of all decoders of this program may take together, and a decoder's part of it,
// known from its stream before it is opened.
//
// Streams come from strangers, and each could ask for half a gigabyte. A party at 720p takes 30 MB.
// Thread: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/units.h"

namespace qvid::media {

class PictureMemory {
 public:
  static constexpr ByteCount kMost{std::int64_t{2} * 1024 * 1024 * 1024};  // of all

  PictureMemory() = default;
  ~PictureMemory() { give_back(); }
  PictureMemory(const PictureMemory&) = delete;
  PictureMemory& operator=(const PictureMemory&) = delete;

  // In place of what it had. False: there is not so much, and it has none.
  bool take(ByteCount size) {
    give_back();
    if ((all_ += size.value()) > kMost.value()) {
      all_ -= size.value();
      return false;
    }
    taken_ = size;
    return true;
  }
  void give_back() { all_ -= std::exchange(taken_, {}).value(); }
  ByteCount taken() const { return taken_; }

 private:
  static inline std::atomic<std::int64_t> all_ = 0;
  ByteCount taken_;
};

}  // namespace qvid::media
