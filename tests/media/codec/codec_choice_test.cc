// Codecs by name, and a stream that changes from one to another.
#include "media/codec/codec.h"

#include <gtest/gtest.h>

#include "tests/media/h264_video.h"
#include "tests/media/heap_pictures.h"

namespace qvid::media::codec_choice_test {
namespace {

constexpr PictureSize kSize{64, 48};

std::unique_ptr<Encoder> encoder_of(const std::string& codec) {
  EncoderOptions options;
  options.size = kSize;
  return *make_encoder(codec, options);
}

TEST(Codecs, EveryOneThatIsNamedEncodesAndDecodes) {
  ASSERT_EQ(codec_names(), (std::vector<std::string>{"h264", "av1"}));
  EXPECT_EQ(codec_names().front(), kPlainCodec);
  for (const std::string& name : codec_names()) {
    const CodedFrame coded = encode(*encoder_of(name), draw(kSize, 0), 0);
    EXPECT_EQ(codec_of(coded), name);
    const auto got = (*make_decoder(name))->decode({coded.number, coded.header, coded.units});
    EXPECT_TRUE(got && *got);
  }
}

TEST(Codecs, OneThatIsNotKnownIsRefusedWithThoseThatAre) {
  const auto encoder = make_encoder("h267", EncoderOptions());
  ASSERT_FALSE(encoder);
  EXPECT_EQ(encoder.error().message, "there is no codec 'h267'; known: h264, av1");
  EXPECT_FALSE(make_decoder("h267"));
  CodedFrame coded;
  EXPECT_EQ(codec_of(coded), "");
  coded.header = Payload::copy_of(std::string_view("\x07nothing"));
  EXPECT_EQ(codec_of(coded), "");
  EXPECT_FALSE((*make_decoder("av1"))->decode({coded.number, coded.header, {}}));
}

TEST(Codecs, ADecoderFollowsAStreamThatChangesItsCodec) {
  for (const std::string& told : codec_names()) {
    const auto decoder = *make_decoder(told);
    int n = 0;
    for (const char* codec : {"h264", "av1", "h264", "av1"}) {
      const auto encoder = encoder_of(codec);
      for (int i = 0; i < 4; ++i, ++n) {
        const CodedFrame coded = encode(*encoder, draw(kSize, n), n);
        const auto got = decoder->decode({coded.number, coded.header, coded.units});
        ASSERT_TRUE(got && *got) << n;
        EXPECT_EQ((*got)->picture.size, kSize);
      }
    }
  }
}

// The store's blocks are as large as was asked for: AddressSanitizer sees what goes beyond.
TEST(Codecs, PicturesInAStoreAreTheSame) {
  for (const std::string& codec : codec_names()) {
    for (const PictureSize size : {PictureSize{112, 80}, {16, 16}, {130, 34}, {1024, 18}}) {
      HeapPictures pictures;
      const auto here = *make_decoder(codec);
      const auto in_store = *make_decoder(codec, &pictures);
      const auto encoder = encoder_for(size, 5, 400, 1, codec);
      for (int n = 0; n < 12; ++n) {
        const CodedFrame coded = encode(*encoder, draw(size, n), n);
        const ReceivedFrame frame{coded.number, coded.header, coded.units};
        const auto expected = here->decode(frame);
        const auto got = in_store->decode(frame);
        ASSERT_TRUE(expected && *expected && got && *got) << codec << n;
        EXPECT_EQ(hash((*got)->picture), hash((*expected)->picture)) << codec << n;
      }
      EXPECT_GE(pictures.taken(), 12);
    }
  }
}

// Not even where the next frames refer to none of the other codec's.
TEST(Codecs, BehindAChangeNothingIsDecodedBeforeASyncPoint) {
  const auto decoder = *make_decoder("av1");
  const auto av1 = encoder_of("av1");
  const auto h264 = encoder_of("h264");
  const auto decode = [&](const CodedFrame& c) {
    const auto got = decoder->decode({c.number, c.header, c.units});
    return got && *got;
  };
  EXPECT_TRUE(decode(encode(*av1, draw(kSize, 0), 0)));
  EXPECT_TRUE(decode(encode(*h264, draw(kSize, 1), 1)));
  EXPECT_FALSE(decode(encode(*av1, draw(kSize, 1), 1)));
  av1->request_sync_point();
  EXPECT_TRUE(decode(encode(*av1, draw(kSize, 2), 2)));
}

}  // namespace
}  // namespace qvid::media::codec_choice_test
