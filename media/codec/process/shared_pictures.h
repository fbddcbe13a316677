// The memory that a program and one of its decoder processes have together: the process writes
// pictures there, the program only reads.
//
// Its size is fixed and sealed by the program before the process has it, so neither can be made to
// touch what is not there. Pages are taken as they are written to: what it really holds is
// `resident`, which the kernel counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "base/owned_file.h"
#include "base/result.h"
#include "base/units.h"
#include "media/codec/picture_store.h"

namespace qvid::media {

// Of one stream: two layers of 4096x4096 with 16 references each, and what is seen. What would take more
// (a stranger's three) gives errors.
inline constexpr std::size_t kPictureRegion = std::size_t{1} << 30;

// The mapping; it needs its file no more.
class PictureRegion {
 public:
  // Of the whole of a file of kPictureRegion.
  static Result<std::shared_ptr<PictureRegion>> map(int file, bool writable);
  PictureRegion(const PictureRegion&) = delete;
  PictureRegion& operator=(const PictureRegion&) = delete;
  ~PictureRegion();
  std::uint8_t* data() const { return data_; }

 private:
  explicit PictureRegion(std::uint8_t* data) : data_(data) {}
  std::uint8_t* data_;
};

// The program's side.
Result<OwnedFile> make_picture_file();
// What of it has been written to and not given back. Zero where the kernel does not say.
ByteCount resident(int file);

// The process's side: room for pictures, each where there is some first.
//
// Every kLook pictures, where less than half of what was ever written to was needed since the last
// look, the rest goes back: each page of it would be cleared anew.
// Thread: one.
class SharedPictures final : public PictureStore {
 public:
  static constexpr int kLook = 256;

  explicit SharedPictures(std::shared_ptr<PictureRegion> region) : region_(std::move(region)) {}
  SharedPictures(const SharedPictures&) = delete;
  SharedPictures& operator=(const SharedPictures&) = delete;

  std::shared_ptr<std::uint8_t> take(std::size_t size) override;

 private:
  void look();

  const std::shared_ptr<PictureRegion> region_;
  std::map<std::size_t, std::size_t> taken_;  // offset to end; multiples of a page
  std::size_t touched_ = 0;                   // nothing is written to from here on
  std::size_t needed_ = 0;                    // nothing was taken from here on since the last look
  int looked_ = 0;                            // pictures since then
};

}  // namespace qvid::media
