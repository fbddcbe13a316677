// What program and decoder process say to each other, and the memory that they have together.
#include "media/codec/process/decoder_talk.h"

#include <gtest/gtest.h>

#include <cstring>

#include "media/codec/process/shared_pictures.h"

namespace qvid::media {
namespace {

constexpr std::size_t kStore = 1 << 20;

std::span<const std::byte> body_of(const std::vector<std::byte>& whole, std::size_t length) {
  return std::span(whole).subspan(length);
}

PictureInStore picture() {
  return {.number = FrameNumber(17),
          .layer = 1,
          .layers = 2,
          .failed = 1,
          .range = ColorRange::kFull,
          .matrix = ColorMatrix::kBt709,
          .nominal = {64, 48},
          .shown = {33, 25},
          .planes = {{{0, 64}, {4096, 32}, {kStore - (12 * 32 + 17), 32}}}};
}

Result<DecoderAnswer> told(const PictureInStore& picture) {
  return parse_answer(body_of(build_answer(picture), 2), kStore);
}

TEST(DecoderTalk, ARequestComesAsItWasMade) {
  DecodeRequest request;
  request.id = 5;
  request.released = {1, 4};
  request.frame.number = FrameNumber(1234567);
  request.frame.header = Payload::copy_of("header");
  request.frame.units.resize(2);
  request.frame.units[1].layer = 1;
  request.frame.units[1].data = Payload::copy_of("unit");
  const auto whole = build_request(request);
  const auto got = parse_request(body_of(whole, 4));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->id, 5u);
  EXPECT_EQ(got->released, request.released);
  EXPECT_EQ(got->frame.number, request.frame.number);
  EXPECT_EQ(got->frame.header.text(), "header");
  ASSERT_EQ(got->frame.units.size(), 2u);
  EXPECT_TRUE(got->frame.units[0].data.empty());
  EXPECT_EQ(got->frame.units[1].layer, 1);
  EXPECT_EQ(got->frame.units[1].data.text(), "unit");
  EXPECT_FALSE(parse_request(body_of(whole, 5)));
  EXPECT_FALSE(parse_request({}));
}

TEST(DecoderTalk, AFrameLargerThanAnyMakesNoRequest) {
  DecodeRequest request;
  request.frame.units.resize(1);
  request.frame.units[0].data = PayloadBuilder(kMostRequest).take();
  EXPECT_TRUE(build_request(request).empty());
}

TEST(DecoderTalk, APictureComesAsItWasMade) {
  const auto answer = told(picture());
  ASSERT_TRUE(answer) << answer.error().message;
  const auto& got = std::get<PictureInStore>(*answer);
  EXPECT_EQ(got.number, FrameNumber(17));
  EXPECT_EQ(got.layer, 1);
  EXPECT_EQ(got.layers, 2);
  EXPECT_EQ(got.failed.to_ulong(), 1u);
  EXPECT_EQ(got.range, ColorRange::kFull);
  EXPECT_EQ(got.matrix, ColorMatrix::kBt709);
  EXPECT_EQ(got.nominal, (PictureSize{64, 48}));
  EXPECT_EQ(got.shown, (PictureSize{33, 25}));
  EXPECT_EQ(got.planes[2].offset, kStore - (12 * 32 + 17));
}

TEST(DecoderTalk, APictureThatCannotBeIsRefused) {
  const auto refusal = [](auto change) {
    PictureInStore lie = picture();
    change(lie);
    const auto answer = told(lie);
    return answer ? std::string("taken") : answer.error().message;
  };
  const std::string outside = "a picture outside the memory for pictures";
  EXPECT_EQ(refusal([](auto& p) { ++p.planes[2].offset; }), outside);
  EXPECT_EQ(refusal([](auto& p) { p.planes[1].offset = ~std::uint64_t{0}; }), outside);
  EXPECT_EQ(refusal([](auto& p) { p.planes[0].stride = ~std::uint32_t{0}; }), outside);
  EXPECT_EQ(refusal([](auto& p) { p.planes[0].stride = 32; }), outside);
  // Of one row a stride is not used, and is bounded all the same.
  EXPECT_EQ(refusal([](auto& p) {
              p.shown.height = 1;
              p.planes[1].stride = ~std::uint32_t{0};
            }),
            outside);
  const std::string size = "a picture of a size that there is not";
  EXPECT_EQ(refusal([](auto& p) { p.shown.width = 0; }), size);
  EXPECT_EQ(refusal([](auto& p) { p.shown.height = 49; }), size);
  EXPECT_EQ(refusal([](auto& p) { p.nominal.width = kMaxSide + 1; }), size);
  EXPECT_EQ(refusal([](auto& p) { p.layer = 2; }), "a layer that there is not");
  EXPECT_EQ(refusal([](auto& p) { p.layers = kMaxUnits + 1; }), "a layer that there is not");
}

TEST(DecoderTalk, TextsAreCutAndPrintable) {
  const auto failed = parse_answer(body_of(build_answer(DecodeFailed{"a\x1b[2J"}), 2), kStore);
  ASSERT_TRUE(failed);
  EXPECT_EQ(std::get<DecodeFailed>(*failed).why.find('\x1b'), std::string::npos);
  EXPECT_LE(build_answer(DecodeFailed{std::string(70'000, 'x')}).size(), 2 + kMostAnswer);
}

class SharedPicturesTest : public testing::Test {
 protected:
  const OwnedFile file_ = *make_picture_file();
  const std::shared_ptr<PictureRegion> region_ = *PictureRegion::map(file_.get(), true);
  SharedPictures store_{region_};
};

TEST_F(SharedPicturesTest, EachPictureHasAPlaceOfItsOwn) {
  const auto a = store_.take(5000);
  auto b = store_.take(1);
  const auto c = store_.take(8192);
  EXPECT_EQ(a.get(), region_->data());
  EXPECT_EQ(b.get(), a.get() + 8192);
  EXPECT_EQ(c.get(), b.get() + 4096);
  b.reset();
  const auto larger = store_.take(4097);  // does not fit in between
  EXPECT_EQ(larger.get(), c.get() + 8192);
  EXPECT_EQ(store_.take(4096).get(), a.get() + 8192);
}

TEST_F(SharedPicturesTest, WhatDoesNotFitIsRefused) {
  EXPECT_EQ(store_.take(0), nullptr);
  EXPECT_EQ(store_.take(kPictureRegion + 1), nullptr);
  const auto all = store_.take(kPictureRegion);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(store_.take(1), nullptr);
}

TEST_F(SharedPicturesTest, WhatASmallerPictureDoesNotNeedGoesBack) {
  constexpr std::size_t kLarge = 4 << 20;
  std::memset(store_.take(kLarge).get(), 1, kLarge);
  EXPECT_GE(resident(file_.get()).value(), static_cast<std::int64_t>(kLarge));
  const auto seen = store_.take(4096);
  std::memset(seen.get(), 7, 4096);
  for (int n = 0; n < 2 * SharedPictures::kLook; ++n) store_.take(8192);
  EXPECT_LE(resident(file_.get()).value(), 3 * 8192);
  EXPECT_EQ(*seen, 7);
}

}  // namespace
}  // namespace qvid::media
