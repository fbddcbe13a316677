// Decoding in processes of their own: the same pictures, whatever becomes of the process, and nothing
// that it says is believed.
#include "media/codec/process/decoder_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <deque>

#include "media/codec/codec.h"
#include "media/codec/picture_memory.h"
#include "tests/children_of.h"
#include "tests/media/codec/h264_coded_video.h"
#include "tests/media/h264_video.h"

namespace qvid::media {
namespace {

// A program whose decoder processes are tests/media/decoder_probe.cc.
class DecoderProcessTest : public testing::Test {
 protected:
  std::unique_ptr<Decoder> decoder(const std::string& how = {}) {
    DecoderProcessOptions options;
    options.program = QVID_DECODER_PROBE;
    if (!how.empty()) options.arguments = {how};
    options.on_notice = [this](const std::string& notice) { notices_.push_back(notice); };
    options.answer_limit = how == "silent" ? std::chrono::milliseconds(100) : kPatience;
    options.start_limit = how == "mute" ? std::chrono::milliseconds(100) : kPatience;
    processes_.emplace(std::move(options));
    auto made = processes_->make("h264");
    if (!made) throw std::runtime_error(made.error().message);
    return *std::move(made);
  }
  static std::string error_of(const Result<std::optional<DecodedFrame>>& got) {
    return got ? std::string() : got.error().message;
  }
  static void kill_all() {
    for (const int pid : children_of(getpid())) kill(pid, SIGKILL);
  }

  static constexpr Duration kPatience = std::chrono::seconds(40);  // sanitizers on a busy machine
  std::optional<DecoderProcesses> processes_;
  std::vector<std::string> notices_;
};

// Bit for bit, and what is still seen is not written to again.
TEST_F(DecoderProcessTest, GivesThePicturesThatADecoderHereGives) {
  const auto remote = decoder();
  for (const std::string& codec : codec_names()) {
    const auto here = *make_decoder(codec);
    const auto encoder = encoder_for({112, 80}, 24, 500, 1, codec);
    std::deque<std::pair<VideoFrame, std::uint64_t>> seen;
    for (int n = 0; n < 60; ++n) {
      const CodedFrame coded = encode(*encoder, draw({112, 80}, n, n < 40 ? 0 : 1), n);
      // L alone, both, and nothing.
      ReceivedFrame frame{coded.number, coded.header, coded.units};
      if (n % 7 == 3 && codec == "h264") frame.units.resize(1);
      if (n % 20 == 11) frame.units.clear();
      const auto expected = here->decode(frame);
      auto got = remote->decode(frame);
      ASSERT_EQ(static_cast<bool>(got), static_cast<bool>(expected)) << codec << n << error_of(got);
      EXPECT_EQ(error_of(got), error_of(expected));
      if (!expected || !*expected) continue;
      ASSERT_TRUE(*got) << n;
      EXPECT_EQ((*got)->number, (*expected)->number);
      EXPECT_EQ((*got)->layer, (*expected)->layer);
      EXPECT_EQ((*got)->layers, (*expected)->layers);
      EXPECT_EQ((*got)->nominal, (*expected)->nominal);
      EXPECT_EQ((*got)->picture.size, (*expected)->picture.size);
      EXPECT_EQ((*got)->picture.range, (*expected)->picture.range);
      EXPECT_EQ((*got)->picture.matrix, (*expected)->picture.matrix);
      ASSERT_EQ(hash((*got)->picture), hash((*expected)->picture)) << codec << n;
      seen.emplace_back((*got)->picture, hash((*got)->picture));
      if (seen.size() > 8) seen.pop_front();
      EXPECT_EQ(hash(seen.front().first), seen.front().second);
    }
  }
  EXPECT_TRUE(notices_.empty()) << notices_.front();
}

TEST_F(DecoderProcessTest, WhatIsSeenOutlivesTheProcess) {
  const auto video = coded_video(2, 3);
  auto remote = decoder();
  const auto first = remote->decode(received(video[0]));
  ASSERT_TRUE(first && *first) << error_of(first);
  const std::uint64_t looks = hash((*first)->picture);
  remote.reset();
  processes_.reset();
  EXPECT_TRUE(children_of(getpid()).empty());
  EXPECT_EQ(hash((*first)->picture), looks);
}

TEST_F(DecoderProcessTest, AKilledOneCostsTheWayToTheNextSyncPoint) {
  const auto remote = decoder();
  const auto encoder = encoder_for({112, 80}, 10);
  int shown = 0;
  std::vector<int> failed;
  for (int n = 0; n < 40; ++n) {
    const CodedFrame coded = encode(*encoder, draw({112, 80}, n), n);
    if (n == 13) {
      // The one that waits for its turn, too: it is found dead then, and costs no frame more.
      ASSERT_EQ(children_of(getpid()).size(), 2u);
      kill_all();
    }
    const auto got = remote->decode(received(coded));
    if (!got) failed.push_back(n);
    shown += got && *got ? 1 : 0;
  }
  ASSERT_FALSE(failed.empty());
  EXPECT_EQ(failed.front(), 13);
  EXPECT_LT(failed.back(), 20);
  EXPECT_GE(shown, 10);
  ASSERT_GE(notices_.size(), 1u);
  EXPECT_NE(notices_.front().find("it was killed"), std::string::npos) << notices_.front();
}

TEST_F(DecoderProcessTest, WhatItSaysIsNotBelieved) {
  const auto video = coded_video(1, 3);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"mute", "it does not answer"},
      {"early", "it answered before it was ready"},
      {"silent", "it does not answer"},
      {"gone", "it ended with code 7"},
      {"noise", "it answered with an answer that there is not"},
      {"long", "it answers more than it was asked"},
      {"chatty", "it answers more than it was asked"},
      {"again", "it says that it has just begun"},
      {"other", "it answered with another frame's picture"},
      {"outside", "it answered with a picture outside the memory for pictures"},
      {"narrow", "it answered with a picture outside the memory for pictures"}};
  for (const auto& [how, why] : cases) {
    notices_.clear();
    const auto remote = decoder(how);
    EXPECT_EQ(error_of(remote->decode(received(video[0]))), "the decoder process has ended: " + why)
        << how;
    ASSERT_GE(notices_.size(), 1u) << how;
    EXPECT_NE(notices_.front().find(why), std::string::npos) << notices_.front();
  }
}

TEST_F(DecoderProcessTest, OneThatEndsAgainAndAgainWaitsForTheNext) {
  const auto video = coded_video(1, 3);
  const auto remote = decoder("gone");
  constexpr int kFirst = 1;
  for (int n = 0; n < 20; ++n) {
    const std::string error = error_of(remote->decode(received(video[0])));
    if (n < kFirst + DecoderProcesses::kRestarts.burst) {
      EXPECT_EQ(error, "the decoder process has ended: it ended with code 7") << n;
    }
  }
  // A busy machine may have taken as long as another start takes to be allowed.
  EXPECT_LT(notices_.size(), 20u);
}

TEST_F(DecoderProcessTest, HasNoRights) {
  const auto video = coded_video(1, 3);
  EXPECT_EQ(error_of(decoder("rights")->decode(received(video[0]))), "nothing");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(error_of(decoder("heap")->decode(received(video[0]))), "less");
#endif
}

TEST_F(DecoderProcessTest, NobodyCanHoldAllItsMemory) {
  const auto remote = decoder();
  const auto encoder = encoder_for({64, 48}, kMaxGop, 100);
  std::vector<VideoFrame> held;
  std::string refused;
  int n = 0;
  for (; n < 100 && refused.empty(); ++n) {
    const auto got = remote->decode(received(encode(*encoder, draw({64, 48}, n), n)));
    if (got && *got) held.push_back((*got)->picture);
    refused = error_of(got);
  }
  EXPECT_EQ(held.size(), 64u);
  EXPECT_EQ(refused, "too many pictures are held: no room for another");
  held.clear();
  encoder->request_sync_point();
  const auto got = remote->decode(received(encode(*encoder, draw({64, 48}, 0, 1), n)));
  EXPECT_TRUE(got && *got) << error_of(got);
  EXPECT_TRUE(notices_.empty());
}

TEST_F(DecoderProcessTest, AllProcessesShareOneBoundOfMemory) {
  const auto video = coded_video(1, 3);
  const auto remote = decoder();
  PictureMemory mine;
  ASSERT_TRUE(mine.take(ByteCount(PictureMemory::kMost.value() - 1000)));
  EXPECT_EQ(error_of(remote->decode(received(video[0]))),
            "the decoder process has ended: no memory for another picture of that size");
  mine.give_back();
  const auto got = remote->decode(received(video[0]));
  EXPECT_TRUE(got && *got) << error_of(got);
}

TEST_F(DecoderProcessTest, WhatCannotBeStartedIsSaidWithWhatToDo) {
  DecoderProcessOptions options;
  options.program = "/nowhere/qvid";
  DecoderProcesses processes(std::move(options));
  const auto refused = processes.make("h264");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "a decoder process cannot be started: /nowhere/qvid: No such file or directory; "
            "--decoder-process off goes without");
  const auto unknown = processes.make("h267");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, make_decoder("h267").error().message);
}

}  // namespace
}  // namespace qvid::media
