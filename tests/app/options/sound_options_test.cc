// Shows what --microphone and --speaker take, and what their errors say.
#include "app/options/sound_options.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/clock.h"
#include "media/sound/sound_file.h"
#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

SoundDevices nobody_listens([](const media::SoundStatus&) {});

TEST(SoundOptions, ADeviceIsCalledByAPartOfItsName) {
  const std::vector<std::string> names{"Built-in Audio Analog Stereo", "USB Headset Mono",
                                       "USB Camera Mono"};
  EXPECT_EQ(*device_called("USB Camera Mono", names, "--microphone"), "USB Camera Mono");
  EXPECT_EQ(*device_called("headset", names, "--microphone"), "USB Headset Mono");
  const auto several = device_called("usb", names, "--microphone");
  ASSERT_FALSE(several);
  EXPECT_NE(several.error().message.find("'USB Headset Mono', 'USB Camera Mono'"),
            std::string::npos);
  EXPECT_EQ(several.error().message.find("Built-in"), std::string::npos);
  const auto none = device_called("jack\n", names, "--speaker");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("--speaker: there is no 'jack?'"), std::string::npos);
  EXPECT_NE(none.error().message.find("Built-in"), std::string::npos);
  EXPECT_FALSE(device_called("", names, "--speaker"));
  const auto nothing = device_called("jack", {}, "--speaker");
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().message.find("nor any other"), std::string::npos);
}

TEST(SoundOptions, FilesAndTonesNeedNoDevice) {
  const TemporaryFolder folder;
  const std::string heard = (folder / "heard.WAV").string();
  auto options = sound_engine_options({.microphone = "tone", .speaker = heard, .low_delay = true},
                                      true, true, nobody_listens);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_FALSE(options->input->is_microphone());
  EXPECT_EQ(options->output->description(), heard);
  EXPECT_EQ(options->encoder.coding.packet, 10ms);
  EXPECT_TRUE(options->encoder.voice);

  // What was written is what can be sent: stereo, so not as a voice.
  options->output->wanted(steady_now());
  options->output->write(std::vector<float>(9600, 0.5f));
  options->output.reset();
  options =
      sound_engine_options({.microphone = heard, .speaker = "none"}, true, true, nobody_listens);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->input->channels(), 2);
  EXPECT_EQ(options->encoder.channels, 2);
  EXPECT_FALSE(options->encoder.voice);
  EXPECT_EQ(options->output, nullptr);
  media::SoundBlock block;
  const Timestamp now = steady_now();
  options->input->read(now, block);
  ASSERT_TRUE(options->input->read(now + 50ms, block));
  EXPECT_NEAR(block.samples[100], 0.5f, 1e-3);
}

TEST(SoundOptions, WhoDoesNotSendOrPlayHasNeither) {
  const auto options = sound_engine_options({}, false, false, nobody_listens);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->input, nullptr);
  EXPECT_EQ(options->output, nullptr);
}

TEST(SoundOptions, SayWhatIsWrongWithAFile) {
  const TemporaryFolder folder;
  const std::string bad = (folder / "bad.wav").string();
  std::ofstream(bad) << "RIFFnonsense";
  for (const std::string& file : {bad, (folder / "missing.wav").string()}) {
    const auto options = sound_engine_options({.microphone = file}, true, false, nobody_listens);
    ASSERT_FALSE(options);
    EXPECT_NE(options.error().message.find("--microphone: cannot read the sound file " + file),
              std::string::npos);
  }
  const auto options =
      sound_engine_options({.speaker = "/no/such/folder/a.wav"}, false, true, nobody_listens);
  ASSERT_FALSE(options);
  EXPECT_NE(options.error().message.find("--speaker: cannot write"), std::string::npos);
}

}  // namespace
}  // namespace qvid::app
