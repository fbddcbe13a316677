#include "media/codec/process/shared_pictures.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace qvid::media {
namespace {

constexpr std::size_t kPage = 4096;       // bytes; a multiple of PictureStore::kAlignment
constexpr std::int64_t kStatBlock = 512;  // bytes, of st_blocks: stat(2)

Error picture_memory_error(const std::string& what) {
  return {"no memory to share with a decoder process: " + what + ": " + std::strerror(errno)};
}

}  // namespace

Result<std::shared_ptr<PictureRegion>> PictureRegion::map(int file, bool writable) {
  void* const data = mmap(nullptr, kPictureRegion, writable ? PROT_READ | PROT_WRITE : PROT_READ,
                          MAP_SHARED | MAP_NORESERVE, file, 0);
  if (data == MAP_FAILED) return picture_memory_error("mmap");
  return std::shared_ptr<PictureRegion>(new PictureRegion(static_cast<std::uint8_t*>(data)));
}

PictureRegion::~PictureRegion() { munmap(data_, kPictureRegion); }

Result<OwnedFile> make_picture_file() {
  OwnedFile file(memfd_create("qvid-pictures", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.get() < 0) return picture_memory_error("memfd_create");
  if (ftruncate(file.get(), static_cast<off_t>(kPictureRegion)) != 0 ||
      fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return picture_memory_error("a sealed file");
  }
  return file;
}

ByteCount resident(int file) {
  struct stat told {};
  if (fstat(file, &told) != 0) return {};
  return ByteCount(static_cast<std::int64_t>(told.st_blocks) * kStatBlock);
}

std::shared_ptr<std::uint8_t> SharedPictures::take(std::size_t size) {
  if (size == 0 || size > kPictureRegion) return nullptr;
  const std::size_t room = (size + kPage - 1) / kPage * kPage;
  std::size_t offset = 0;
  for (const auto& [from, end] : taken_) {
    if (from - offset >= room) break;
    offset = end;
  }
  if (kPictureRegion - offset < room) return nullptr;
  taken_[offset] = offset + room;
  touched_ = std::max(touched_, offset + room);
  needed_ = std::max(needed_, offset + room);
  if (++looked_ == kLook) look();
  return {region_->data() + offset, [this, offset](std::uint8_t*) { taken_.erase(offset); }};
}

void SharedPictures::look() {
  const std::size_t end = std::max(needed_, taken_.rbegin()->second);
  if (touched_ > 2 * end && madvise(region_->data() + end, touched_ - end, MADV_REMOVE) == 0) {
    touched_ = end;
  }
  needed_ = 0;
  looked_ = 0;
}

}  // namespace qvid::media
