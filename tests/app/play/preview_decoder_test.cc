// Previews are decoded on a thread of their own, into pictures that nobody else holds.
#include "app/play/preview_decoder.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "media/codec/encoder.h"
#include "tests/media/grey_frame.h"

namespace qvid::app::preview_decoder_test {
namespace {

struct Came {
  Duration place{};
  media::VideoFrame picture;
};

class PreviewDecoderTest : public testing::Test {
 protected:
  // A whole frame of that size, of one grey.
  PreviewFrame preview(std::int64_t number, media::PictureSize size, int luma) {
    const auto encoder =
        media::make_encoder("h264", {.size = size, .rate = FrameRate{30, 1}, .gop = 1});
    auto coded = (*encoder)->encode(media::grey_frame(size, luma), FrameNumber(number));
    if (!coded) ADD_FAILURE() << coded.error().message;
    return {.place = std::chrono::seconds(number),
            .frame = {.number = coded->number, .header = coded->header, .units = coded->units}};
  }
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, 30s, [&] { return came_.size() >= count; }));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Came> came_;
  PreviewDecoder decoder_{media::decoders_here(),
                          [this](Duration place, media::VideoFrame picture) {
                            const std::lock_guard lock(mutex_);
                            came_.push_back({place, std::move(picture)});
                            changed_.notify_all();
                          }};
};

TEST_F(PreviewDecoderTest, GivesAPictureOfItsOwn) {
  decoder_.decode(preview(7, {160, 90}, 100));
  wait_for(1);
  ASSERT_EQ(came_.size(), 1u);
  EXPECT_EQ(came_[0].place, Duration(7s));
  EXPECT_EQ(came_[0].picture.size, (media::PictureSize{160, 90}));
  EXPECT_NEAR(came_[0].picture.planes[0].data[0], 100, 3);
  EXPECT_EQ(came_[0].picture.owner.use_count(), 1);
}

TEST_F(PreviewDecoderTest, LeavesWhatIsNoneAndWhatIsTooLarge) {
  decoder_.decode({.place = 1s, .frame = {.number = FrameNumber(1), .header = {}, .units = {}}});
  decoder_.decode(preview(2, {640, 360}, 100));
  // What waits may be replaced: this one comes, sooner or later.
  decoder_.decode(preview(3, {160, 90}, 50));
  wait_for(1);
  ASSERT_EQ(came_.size(), 1u);
  EXPECT_EQ(came_[0].place, Duration(3s));
}

}  // namespace
}  // namespace qvid::app::preview_decoder_test
