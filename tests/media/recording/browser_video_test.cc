// What a browser's encoder makes (Chromium's OpenH264: CAVLC, orders of pictures told), recorded: its
// slices are numbered anew, too, and every player decodes them to the same pictures.
#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "media/codec/h264/h264_decoder.h"
#include "media/recording/recording.h"
#include "media/unit/unit_wire.h"
#include "tests/media/recorded_video.h"
#include "tests/temporary_folder.h"

namespace qvid::media {
namespace {

constexpr PictureSize kGuestSize{64, 48};
constexpr FrameRate kGuestRate{30, 1};

// Six pictures of kGuestSize, the first a key frame, as VideoEncoder gave them.
constexpr std::array<std::string_view, 6> kPictures = {
    "000000016742d00b8c8d423937010d01078442350000000168ce3c800000000165b80004000009fff8ff0dc5"
    "000101bf038001c000101d0014cbe200083a10000f8002ac1a9cb2a9cbc0e218b2c38862cbffc3f82a84858e"
    "1020dc7e13bf9075f80c22d99980bed7931593ffffe0b781c000e800080e000b65896840255e0c4a5944a5f8"
    "1c8624b0e43125ffffd82aa43cc83ebe7fa3811164647779ebae6cb638c76d6baf",
    "0000000161e0004000be409f2ffc0a38d8a6298a6298a6298a6298a6007c0c563038c99120db50a640001a00"
    "01019001c81ee1dce22682073004c08cd987dbee0466d87cc4a5e0c636298a6298a6298a6298a6770ee671c2"
    "cc4f9660b050444a027e5252c99ca3717ec4f9a1ff1c0182d7c0108108f702cf1f028dcc1e680f47bb180cfb"
    "fe3bf91314bdd8c48fcdbc898a5f82089f2c313e58783ab01d5827cb0d3878b0c10302c004249076b15e544e"
    "e159cb37b4e9df3f8d905cb2e317d9fcfe",
    "0000000161e00080013e40ff8318d8a018a018a00628018a018a018a00628018a018a018a018a018a0183626"
    "428072340141248000405b076d009fd7a3be583b68138c820a1c507c41ff8d3d34f4abeb6f2f1a07c6bc2914"
    "031403140314031403140314031403140314031403140314031403140314031c018e00020318de9178d8a018"
    "a018a018a018a01a8a01a8a018a018a018a018a01a8a0183a58346048400df64351e5a04c17417cc2ea105f1"
    "de352d54be3b1a076353be7f1720b96cfe7f3f80",
    "0000000161e000c001be404fe08505228006280062800628006280062800628006280062800108a000422800"
    "108a000422800108a0018a00042280063800118e0002049c22c6c5000c5000c5000c5000c50031400c500314"
    "00c228528a8599150b20ca926454932f10434070002d0004c27749fb800ceaf8b1331104224bf1b1400c5000"
    "c500314003140031400314003140032a4990a20bb28224058006280065800628006030002104850001000c7b"
    "1e01357944270f8de3b6379ef87e542c832a1641950b20c28a0548a02ccb280b32280b3204b0c44349db9848"
    "fda336da4108d73004219f2146760811165f8dca08904a0890160018a001960018a001ca089014059903af05"
    "c58006280065800628006210702c000b80084bb9aecb21116e6013f4cb23187cfe79310bc42f3f80",
    "0000000161e00100023e405fe1903e0522800108a000422800108a000422800108a000422800108a00042280"
    "0108a000422800108a000422800108a000422800108a000423800118e0002071c3207d1b1400084500021140"
    "0084500021140009450002114000845000211400084480010e28001096000421d11190744465e06701840008"
    "ce00470bb2f6303426184efc6c50002514000945000251400094500021140008450002114000843a11190742"
    "232f0e84464580010e28001081c18284102780ec9d966eaf361c261a5804fa44444403dda8de543f3fb9c184"
    "3f1400084500021140008450002114000845000211400084500021c0f1919078c8c80a04a11300010080009f"
    "f03882165cbffe0831400086280010e1e32320f191945000210f191916000421d1c2430e3b3cb0352cdb7965"
    "841580e2085960210b443ce3eed4fe79310b885e7f",
    "0000000161e0014002be406ff8522800188a000622800188a000622800188a000622800188a000622800188a"
    "000622800188a000622800188a000622800188a0006238001b8e00020a5c18c6c50003114000c45000311400"
    "0c450003514000c450003114000c450003114000c450003114000c4500035005fd9100245428001a90842201"
    "80007402520001050e0227d75f79c0039eb9a10b714a26ff1fe816f3347c47425acb5e83af72f1907c670631"
    "b14000c450003114000c450003114000c450003114000c4500031013c89802ad478001891062202c000c4500"
    "03114000c450003114000c47000370a98000827604e7d766fc003949491834d853e7fe362800188a00062280"
    "0188a0006228001887411900a000621d046402800188a000622800188a0006228001887411900a0006225099"
    "0027a868001981201000102ab37720185eb5dbefa401148b9000bab6c83db9a105c4a438fea68a6b9532c999"
    "7307fdfec3777fc00109b807c3c09bccad4d1d908601854d84b4b0dcc0084c8698a4ea6721c3ddf002732191"
    "d4c7cc3a16c0e79310b88f1187",
};

Payload hex_bytes(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(16 * digit(hex[i]) + digit(hex[i + 1])));
  }
  return Payload::copy_of(bytes);
}

CodedFrame guest_frame(int number) {
  const bool key = number == 0;
  CodedFrame frame{.number = FrameNumber(number),
                   .captured = Timestamp(7777s) + kGuestRate.time_of(number),
                   .due = Timestamp(7777s) + kGuestRate.time_of(number),
                   .header = build_frame_header(
                       {.nominal = kGuestSize, .low = kGuestSize, .sync = {key, false}}),
                   .units = {}};
  CodedUnit unit{.depends_on = {},
                 .needed_for = 5,
                 .data = hex_bytes(kPictures[static_cast<std::size_t>(number)])};
  if (!key) unit.depends_on.push_back({.frames_back = 1, .unit = 0});
  frame.units.push_back(std::move(unit));
  return frame;
}

class BrowserVideo : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, BrowserVideo, testing::Values(".mkv", ".mp4"));

TEST_P(BrowserVideo, IsRecordedPictureByPicture) {
  const TemporaryFolder folder;
  const auto path = folder / (std::string("guest") + GetParam());
  Recording recording({.path = path});
  recording.begin(kGuestRate);
  H264Decoder decoder;
  std::vector<std::uint64_t> expected;
  for (int n = 0; n < static_cast<int>(kPictures.size()); ++n) {
    const CodedFrame frame = guest_frame(n);
    const auto decoded = decoder.decode({frame.number, frame.header, frame.units});
    ASSERT_TRUE(decoded) << decoded.error().message;
    ASSERT_TRUE(*decoded);
    expected.push_back(hash((*decoded)->picture));
    const WireFrame wire = serialise(frame);
    recording.on_message(header_position(frame.number), wire.header);
    recording.on_message(unit_position(frame.number, 0), wire.units[0]);
  }
  recording.finish();
  ASSERT_EQ(recording.stats().files.size(), 1u) << recording.stats().refused;
  const RecordedVideo got = open_recording(path);
  EXPECT_EQ(got.errors, 0);
  EXPECT_EQ(got.pictures, expected);
}

}  // namespace
}  // namespace qvid::media
