// SDL's sound on its dummy driver, which takes and gives silence: devices are listed, opened, used,
// and go without a window.
#include "ui/sound/sdl_sound.h"

#include <SDL.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <mutex>

#include "base/clock.h"
#include "media/source/wait_until.h"
#include "tests/temporary_folder.h"
#include "ui/sound/wav_file.h"

namespace qvid::ui {
namespace {

constexpr Duration kSoundPatience = 20s;

class SdlSoundTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("SDL_AUDIODRIVER", "dummy", 1); }
  static void TearDownTestSuite() { unsetenv("SDL_AUDIODRIVER"); }

  media::OnSoundStatus statuses() {
    return [this](const media::SoundStatus& status) {
      const std::lock_guard lock(mutex_);
      told_.push_back(status);
      changed_.notify_all();
    };
  }
  bool told(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kSoundPatience, [&] { return told_.size() >= count; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<media::SoundStatus> told_;
};

TEST_F(SdlSoundTest, DevicesAreListedOpenedAndUsed) {
  const std::stop_source never;
  SdlSound sound(statuses());
  if (sound.devices().system != "dummy") GTEST_SKIP() << "this SDL has no dummy sound driver";
  auto output = sound.output();
  auto input = sound.input();
  ASSERT_TRUE(told(2));
  EXPECT_TRUE(told_[0].ok) << told_[0].text;
  EXPECT_TRUE(told_[1].ok) << told_[1].text;
  EXPECT_TRUE(input->is_microphone());
  // Sound passes, at about the clock's pace; `until` bounds a test that fails.
  const Timestamp began = steady_now();
  std::size_t written = 0;
  std::size_t heard = 0;
  Timestamp last{};
  for (Timestamp now = began; now < began + kSoundPatience; now = steady_now()) {
    if (written >= 24'000 && heard >= 24'000) break;
    while (output->wanted(now) >= media::kSoundTurn) {
      output->write(std::vector<float>(media::kSoundTurn * 2));
      written += media::kSoundTurn;
    }
    media::SoundBlock block;
    if (input->read(now, block)) {
      EXPECT_GE(block.captured, last);
      last = block.captured;
      heard += block.frames();
    }
    media::wait_until(now + 5ms, never.get_token());
  }
  EXPECT_GE(written, 24'000u);
  EXPECT_GE(heard, 24'000u);
  // Neither counted with SDL_Init (sdl_sound.h), nor has it begun the video. The events may be
  // on: of Debian 13's SDL they are after a window.
  EXPECT_EQ(SDL_WasInit(SDL_INIT_AUDIO | SDL_INIT_VIDEO), 0u);
}

TEST_F(SdlSoundTest, ANamedDeviceThatIsNotThereIsToldOnceAndGoesOnAsSilence) {
  SdlSound sound(statuses());
  auto output = sound.output("No such thing");
  auto input = sound.input("Nor this");
  ASSERT_TRUE(told(2));
  EXPECT_FALSE(told_[0].ok);
  EXPECT_NE(told_[0].text.find("'No such thing' is not there"), std::string::npos);
  EXPECT_EQ(told_[0].device, "No such thing");
  EXPECT_EQ(told_[0].why, "loudspeaker 'No such thing' is not there");
  EXPECT_NE(told_[1].text.find("microphone 'Nor this'"), std::string::npos);
  const Timestamp now = steady_now();
  EXPECT_GE(output->wanted(now) + output->wanted(now + 10ms), media::kSoundTurn);
  media::SoundBlock block;
  input->read(now, block);
  EXPECT_TRUE(input->read(now + 300ms, block));
}

TEST_F(SdlSoundTest, DevicesMayOutliveItAndGoAtAnyTime) {
  for (int i = 0; i < 5; ++i) {
    auto sound = std::make_unique<SdlSound>(statuses());
    auto output = sound->output();
    auto input = sound->input();
    sound.reset();
    EXPECT_TRUE(i % 2 == 0 || told(1));
    output.reset();
    input.reset();
  }
  EXPECT_EQ(SDL_GetCurrentAudioDriver(), nullptr);
}

void put_little(std::ofstream& file, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) file.put(static_cast<char>((value >> (8 * i)) & 0xff));
}

TEST(WavFile, IsReadAsSoundIsHere) {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.wav").string();
  {  // 1 s of 24 kHz, mono, 16 bits: half of full scale
    std::ofstream file(path, std::ios::binary);
    file << "RIFF";
    put_little(file, 36 + 48'000, 4);
    file << "WAVEfmt ";
    put_little(file, 16, 4);
    put_little(file, 1, 2);
    put_little(file, 1, 2);
    put_little(file, 24'000, 4);
    put_little(file, 48'000, 4);
    put_little(file, 2, 2);
    put_little(file, 16, 2);
    file << "data";
    put_little(file, 48'000, 4);
    for (int i = 0; i < 24'000; ++i) put_little(file, 16'384, 2);
  }
  const auto samples = load_wav(path);
  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_EQ(samples->channels, 1);
  EXPECT_NEAR(static_cast<double>(samples->frames()), 48'000, 200);
  EXPECT_NEAR(samples->values[24'000], 0.5f, 0.01);
}

TEST(WavFile, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  EXPECT_FALSE(load_wav(folder.path().string()));
  EXPECT_FALSE(load_wav((folder / "none.wav").string()));
  const std::string path = (folder / "b.wav").string();
  std::ofstream(path) << "no sound at all";
  const auto bad = load_wav(path);
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find(path), std::string::npos);
}

}  // namespace
}  // namespace qvid::ui
