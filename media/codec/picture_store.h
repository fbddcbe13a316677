// Where a decoder's pictures lie, where that is not memory that the codec's library fetches itself.
// Thread: the decoder's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace qvid::media {

class PictureStore {
 public:
  static constexpr std::size_t kAlignment = 64;  // bytes

  virtual ~PictureStore() = default;
  // `size` bytes, aligned, of any content, for as long as the pointer or a copy of it lives, which is
  // no longer than this. Null: there is no room.
  virtual std::shared_ptr<std::uint8_t> take(std::size_t size) = 0;
};

}  // namespace qvid::media
