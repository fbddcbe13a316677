// Shows that a picture is found in a buffer with rows of any length, in a part of it, and upside down,
// and that nothing outside of the buffer is ever looked at: also not by who converts it.
#include "media/source/buffer_picture.h"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <numeric>
#include <vector>

#include "media/picture/i420_converter.h"

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/pixfmt.h>
}

namespace qvid::media {
namespace {

class BufferPictureTest : public testing::Test {
 protected:
  BufferPictureTest() { std::iota(bytes_.begin(), bytes_.end(), std::uint8_t{0}); }

  // 4x3 pixels of four bytes, four bytes after each row, from the eighth on.
  BufferPicture whole() const {
    return {.bytes = bytes_, .offset = 8, .stride = 20, .format = AV_PIX_FMT_BGR0, .size = {4, 3}};
  }
  std::ptrdiff_t place(const BufferPicture& of) const {
    const auto picture = picture_in(of);
    return picture ? (*picture)->data[0] - bytes_.data() : -1;
  }

  // What follows is enough to be read beyond.
  std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(8 + 2 * 20 + 16 + 64);
  std::span<std::uint8_t> bytes_ = memory_;
};

TEST_F(BufferPictureTest, RowsAreAsFarApartAsIsSaid) {
  const auto picture = picture_in(whole());
  ASSERT_TRUE(picture);
  EXPECT_EQ((*picture)->data[0], bytes_.data() + 8);
  EXPECT_EQ((*picture)->linesize[0], 20);
  EXPECT_EQ((*picture)->width, 4);
  EXPECT_EQ((*picture)->height, 3);
}

TEST_F(BufferPictureTest, RowsWithoutALengthArePacked) {
  BufferPicture packed = whole();
  packed.stride = 0;
  const auto picture = picture_in(packed);
  ASSERT_TRUE(picture);
  EXPECT_EQ((*picture)->linesize[0], 16);
}

TEST_F(BufferPictureTest, APartOfItIsThePicture) {
  BufferPicture part = whole();
  part.crop = {.x = 1, .y = 1, .size = {2, 2}};
  EXPECT_EQ(place(part), 8 + 20 + 4);
  part.stride = -20;  // the last row first
  EXPECT_EQ(place(part), 8 + 20 + 4);
  part.crop.y = 0;
  EXPECT_EQ(place(part), 8 + 40 + 4);
  EXPECT_EQ((*picture_in(part))->linesize[0], -20);
}

TEST_F(BufferPictureTest, WhatIsNotWithinTheBufferIsRefused) {
  const auto refused = [](BufferPicture changed) { return !picture_in(changed); };
  bytes_ = bytes_.first(8 + 2 * 20 + 16);
  BufferPicture b = whole();
  EXPECT_FALSE(refused(b));
  b.offset = 9;
  EXPECT_TRUE(refused(b));
  b.offset = SIZE_MAX;
  EXPECT_TRUE(refused(b));
  for (const int stride : {1, 15, 21, INT_MAX, INT_MIN}) {
    b = whole();
    b.stride = stride;
    EXPECT_TRUE(refused(b)) << stride;
  }
  for (const PictureSize size :
       {PictureSize{0, 3}, {4, 0}, {-4, 3}, {6, 3}, {4, 4}, {INT_MAX, INT_MAX}}) {
    b = whole();
    b.size = size;
    EXPECT_TRUE(refused(b)) << size.width << "x" << size.height;
  }
  for (const int format :
       {-1, INT_MAX, int{AV_PIX_FMT_YUV420P}, int{AV_PIX_FMT_NV12}, int{AV_PIX_FMT_VAAPI}}) {
    b = whole();
    b.format = format;
    EXPECT_TRUE(refused(b)) << format;
  }
}

TEST_F(BufferPictureTest, APartThatIsNotWithinThePictureIsTakenForAllOfIt) {
  for (const auto crop :
       {BufferPicture::Crop{}, BufferPicture::Crop{1, 0, {4, 3}}, BufferPicture::Crop{0, 1, {4, 3}},
        BufferPicture::Crop{-1, 0, {2, 2}}, BufferPicture::Crop{0, INT_MIN, {2, 2}},
        BufferPicture::Crop{INT_MAX, 0, {2, 2}}, BufferPicture::Crop{0, 0, {-2, 2}},
        BufferPicture::Crop{0, 0, {INT_MAX, 2}}, BufferPicture::Crop{1, 1, {1, 1}}}) {
    BufferPicture b = whole();
    b.crop = crop;
    EXPECT_EQ(shown_part(b).size, b.size) << crop.x << " " << crop.y;
    EXPECT_EQ(place(b), 8) << crop.x << " " << crop.y;
    EXPECT_EQ((*picture_in(b))->width, 4) << crop.x << " " << crop.y;
  }
}

// A buffer that ends with its memory's last page, and no page behind it.
class LastPage {
 public:
  LastPage()
      : memory_(static_cast<std::uint8_t*>(::mmap(nullptr, size_ + page_, PROT_READ | PROT_WRITE,
                                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    ::mprotect(memory_ + size_, page_, PROT_NONE);
    std::memset(memory_, 255, size_);
  }
  ~LastPage() { ::munmap(memory_, size_ + page_); }
  LastPage(const LastPage&) = delete;
  LastPage& operator=(const LastPage&) = delete;
  std::span<const std::uint8_t> last(std::size_t bytes) const {
    return {memory_ + size_ - bytes, bytes};
  }

 private:
  std::size_t page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::size_t size_ = 4 * page_;
  std::uint8_t* memory_;
};

TEST(BufferPictureEnd, NothingBeyondTheBufferIsRead) {
  const LastPage page;
  for (const auto& [format, pixel] :
       {std::pair{AV_PIX_FMT_BGR0, 4}, std::pair{AV_PIX_FMT_RGB24, 3}}) {
    for (int width = 2; width <= 34; ++width) {
      for (const int sign : {1, -1}) {
        constexpr int kHeight = 8;
        const int stride = width * pixel;
        const auto picture =
            picture_in({.bytes = page.last(static_cast<std::size_t>(stride * kHeight)),
                        .stride = sign * stride,
                        .format = format,
                        .size = {width, kHeight}});
        ASSERT_TRUE(picture);
        I420Converter converter({64, 32}, false);
        const auto frame = converter.convert(**picture);
        ASSERT_TRUE(frame);
        EXPECT_NEAR(frame->planes[0].data[16 * frame->planes[0].stride + 32], 235, 1) << width;
      }
    }
  }
}

// What is between the rows is white, the picture blue: none of it is in the result.
TEST(BufferPictureColours, AreKeptAndWhatIsBetweenRowsIsLeft) {
  constexpr int kSide = 32;
  constexpr int kStride = kSide * 4 + 52;
  std::vector<std::uint8_t> bytes(kStride * kSide, 255);
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      bytes[static_cast<std::size_t>(y * kStride + 4 * x + 1)] = 0;  // B stays 255
      bytes[static_cast<std::size_t>(y * kStride + 4 * x + 2)] = 0;
    }
  }
  const auto picture = picture_in(
      {.bytes = bytes, .stride = kStride, .format = AV_PIX_FMT_BGR0, .size = {kSide, kSide}});
  ASSERT_TRUE(picture);
  I420Converter converter({kSide, kSide}, false);
  const auto frame = converter.convert(**picture);
  ASSERT_TRUE(frame);
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      EXPECT_NEAR(frame->planes[0].data[y * frame->planes[0].stride + x], 41, 1) << x << " " << y;
      EXPECT_NEAR(frame->planes[1].data[y / 2 * frame->planes[1].stride + x / 2], 240, 1);
    }
  }
}

}  // namespace
}  // namespace qvid::media
