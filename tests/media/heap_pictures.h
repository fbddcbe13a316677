// A store of pictures in blocks of their own, so that AddressSanitizer sees what goes beyond one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "media/codec/picture_store.h"

namespace qvid::media {

class HeapPictures final : public PictureStore {
 public:
  std::shared_ptr<std::uint8_t> take(std::size_t size) override {
    if (size > kMost) return nullptr;
    ++taken_;
    return {static_cast<std::uint8_t*>(::operator new (size, std::align_val_t{kAlignment})),
            [](std::uint8_t* p) { ::operator delete (p, std::align_val_t{kAlignment}); }};
  }
  int taken() const { return taken_; }

 private:
  static constexpr std::size_t kMost = 64 * 1024 * 1024;  // a picture
  int taken_ = 0;
};

}  // namespace qvid::media
