// Shows what the window before a call says and does, without one: pages, links, devices, what is
// remembered, and the command line that follows from it.
#include "app/start/start_menu.h"

#include <gtest/gtest.h>

#include "app/start/test_tone.h"

namespace qvid::app {
namespace {

using ui::StartAct;
using ui::StartPage;
using Words = std::vector<std::string>;

StartMenu menu(const Settings& settings = {}) { return {settings, "me", "/home/me/settings.toml"}; }

StartStep type(StartMenu& m, const std::string& link, StartAct act = StartAct::kJoin) {
  m.entries().link = link;
  m.on_entries();
  return m.on_action({act});
}

const DeviceView kPlugged{
    .cameras = {{"Integrated", "camera:/dev/video0"}, {"USB", "camera:/dev/video2"}},
    .microphones = {"Headset", "Built-in"},
    .loudspeakers = {"HDMI"}};

TEST(StartMenu, ALinkIsCheckedAsItIsTyped) {
  StartMenu m = menu();
  m.on_entries();
  EXPECT_EQ(m.model().link_trouble, "");  // nothing is wrong yet
  for (const std::string& bad : Words{"den", "http://host/den", "qvid://", "qvid://host:99999/den",
                                      "qvid://h/den#sha256:x", "qvid://h/%zz"}) {
    m.entries().link = bad;
    m.on_entries();
    EXPECT_NE(m.model().link_trouble.find("'" + bad + "' is no link of a room: write qvid://"),
              std::string::npos)
        << m.model().link_trouble;
    EXPECT_EQ(type(m, bad), StartStep::kStay);
    EXPECT_EQ(m.model().page, StartPage::kFront);
  }
  m.entries().link = "qvid://h/" + std::string(65, 'x');
  m.on_entries();
  EXPECT_NE(m.model().link_trouble.find("too long"), std::string::npos);
  m.entries().link = " qvid://host/den\n";  // pasted
  m.on_entries();
  EXPECT_EQ(m.model().link_trouble, "");
  EXPECT_EQ(type(m, ""), StartStep::kStay);
  EXPECT_NE(m.model().link_trouble.find("Enter the link"), std::string::npos);
}

TEST(StartMenu, TheWayIntoARoomAndBack) {
  StartMenu m = menu();
  EXPECT_EQ(type(m, " qvid://host/den "), StartStep::kStay);
  EXPECT_EQ(m.model().page, StartPage::kJoin);
  EXPECT_EQ(m.model().title, "Join den at host:7400");
  EXPECT_TRUE(m.wants_devices());
  EXPECT_EQ(m.on_action({StartAct::kBack}), StartStep::kStay);
  EXPECT_EQ(m.model().page, StartPage::kFront);
  EXPECT_FALSE(m.wants_devices());
  type(m, "qvid://host/den");
  m.entries().name = "-Łukasz ";
  m.entries().join_muted = true;
  m.entries().passphrase = "four words";
  m.set_devices(kPlugged);
  m.on_entries();
  EXPECT_EQ(m.on_action({StartAct::kGo}), StartStep::kGo);
  EXPECT_EQ(
      words_of(m.joining()),
      (Words{"call", "--name=-Łukasz", "--passphrase=four words", "--speaker=default",
             "--microphone=default", "--source=camera:/dev/video0", "--muted", "qvid://host/den"}));
  m.on_returned(Settings{.layout = std::string(kSpeaker), .recent = {"qvid://host/den"}},
                "no connection");
  EXPECT_EQ(m.entries().layout, 1u);  // as the call was left
  EXPECT_EQ(m.model().page, StartPage::kFront);
  EXPECT_EQ(m.model().notice, "no connection");
  EXPECT_EQ(m.entries().passphrase, "");
  EXPECT_EQ(m.on_action({StartAct::kRecent, 1}), StartStep::kStay);
  EXPECT_EQ(m.model().page, StartPage::kFront);  // there is no such one
  m.on_action({StartAct::kRecent, 0});
  EXPECT_EQ(m.model().page, StartPage::kJoin);
  EXPECT_EQ(m.model().notice, "");
}

TEST(StartMenu, WhoWatchesHasNoCamera) {
  StartMenu m = menu();
  type(m, "qvid://host/den", StartAct::kWatch);
  m.set_devices(kPlugged);
  EXPECT_FALSE(m.model().publishes);
  EXPECT_EQ(m.wish(), (DeviceWish{.camera = {}, .microphone = "none", .loudspeaker = "default"}));
  m.entries().loudspeaker = 1;
  m.on_entries();
  m.on_action({StartAct::kGo});
  EXPECT_EQ(words_of(m.joining()),
            (Words{"watch", "--name=me", "--speaker=HDMI", "qvid://host/den"}));
}

TEST(StartMenu, ACallOfOnesOwnIsAnInvitation) {
  StartMenu m = menu();
  EXPECT_EQ(m.on_action({StartAct::kHost}), StartStep::kHost);
  EXPECT_EQ(m.model().page, StartPage::kFront);  // until the command has made it
  m.open_host("qvid://10.0.0.1:7400#sha256:abc", "kzmw-hqfa");
  EXPECT_EQ(m.model().page, StartPage::kJoin);
  EXPECT_FALSE(m.model().asks_passphrase);
  EXPECT_GT(m.model().qr.side, 0);
  EXPECT_EQ(m.on_action({StartAct::kCopyLink}), StartStep::kCopy);
  EXPECT_EQ(m.copied(), "qvid://10.0.0.1:7400#sha256:abc\nPassphrase: kzmw-hqfa\n");
  m.entries().join_without_camera = true;
  EXPECT_EQ(m.on_action({StartAct::kGo}), StartStep::kGo);
  EXPECT_EQ(words_of(m.joining()),
            (Words{"call", "--host", "--max-parties=8", "--name=me", "--passphrase=kzmw-hqfa",
                   "--speaker=default", "--microphone=default", "--no-camera"}));
  m.on_action({StartAct::kBack});
  type(m, "qvid://host/den");
  EXPECT_EQ(m.model().invitation, "");
  EXPECT_EQ(m.joining().passphrase, "");
}

TEST(StartMenu, WithoutAGoodNameNobodyJoins) {
  StartMenu m = menu();
  type(m, "qvid://host/den");
  for (const std::string& name : Words{"", "  ", std::string(65, 'x')}) {
    m.entries().name = name;
    m.on_entries();
    EXPECT_NE(m.model().name_trouble, "");
    EXPECT_EQ(m.on_action({StartAct::kGo}), StartStep::kStay);
  }
}

TEST(StartMenu, DevicesAreRememberedByName) {
  Settings settings{.camera = "USB", .microphone = "none", .loudspeaker = "Kitchen"};
  StartMenu m = menu(settings);
  type(m, "qvid://host/den");
  m.set_devices(kPlugged);
  EXPECT_EQ(m.entries().camera, 1u);
  EXPECT_EQ(m.model().microphones, (Words{"The system's", "Headset", "Built-in", "None"}));
  EXPECT_EQ(m.entries().microphone, 3u);
  EXPECT_EQ(m.model().loudspeakers,
            (Words{"The system's", "HDMI", "None", "Kitchen (not plugged in)"}));
  EXPECT_EQ(m.entries().loudspeaker, 3u);
  EXPECT_EQ(
      m.wish(),
      (DeviceWish{.camera = "camera:/dev/video2", .microphone = "none", .loudspeaker = "default"}));
  m.entries().microphone = 2;
  m.on_entries();
  // Another is plugged in before it, and the camera is unplugged: the choices stay.
  DeviceView other = kPlugged;
  other.microphones.insert(other.microphones.begin(), "Webcam");
  other.cameras.pop_back();
  m.set_devices(other);
  m.on_entries();
  EXPECT_EQ(m.entries().microphone, 3u);
  EXPECT_EQ(m.wish().microphone, "Built-in");
  EXPECT_EQ(m.wish().camera, "camera:/dev/video0");
  EXPECT_NE(m.model().camera_trouble.find("'USB' is not plugged in"), std::string::npos);
  m.keep(settings);
  EXPECT_EQ(settings,
            (Settings{.camera = "USB", .microphone = "Built-in", .loudspeaker = "Kitchen"}));
}

TEST(StartMenu, WithoutDevicesOneJoinsAllTheSame) {
  StartMenu m = menu();
  type(m, "qvid://host/den");
  m.set_devices({.camera_trouble = "camera is busy", .microphone_trouble = "there is none"});
  EXPECT_EQ(m.model().camera_trouble, "camera is busy");
  EXPECT_EQ(m.model().microphone_trouble, "there is none");
  EXPECT_EQ(m.wish().camera, "");
  EXPECT_EQ(m.on_action({StartAct::kGo}), StartStep::kGo);
  m.entries().join_without_camera = true;
  EXPECT_EQ(m.wish().camera, std::nullopt);
}

TEST(StartMenu, SettingsAreKeptWhereTheyAreGood) {
  Settings settings{.scale = 1.1f, .limit_up = "800k", .recent = {"qvid://a/b"}};
  StartMenu m = menu(settings);
  EXPECT_EQ(m.scale(), 1.1f);
  m.on_action({StartAct::kSettings});
  EXPECT_EQ(m.model().page, StartPage::kSettings);
  m.entries().limit_up = "much";
  m.entries().limit_down = " 1500k ";
  m.entries().proxy = "ftp://x";
  m.entries().layout = 1;
  m.on_entries();
  EXPECT_NE(m.model().limit_up_trouble, "");
  EXPECT_EQ(m.model().limit_down_trouble, "");
  EXPECT_NE(m.model().proxy_trouble, "");
  m.keep(settings);
  EXPECT_EQ(settings, (Settings{.layout = std::string(kSpeaker),
                                .scale = 1.1f,
                                .limit_up = "800k",
                                .limit_down = "1500k",
                                .recent = {"qvid://a/b"}}));
  m.entries().scale = 5;
  EXPECT_EQ(m.on_action({StartAct::kBack}), StartStep::kRescale);
  EXPECT_EQ(m.scale(), 2);
  m.on_action({StartAct::kSettings});
  EXPECT_EQ(m.on_action({StartAct::kBack}), StartStep::kStay);
  m.entries().name = "Ann";
  m.keep(settings);
  EXPECT_EQ(settings.name, "Ann");
}

TEST(StartMenu, AnotherLanguageIsOfTheWholeWindow) {
  Settings settings;
  StartMenu m = menu(settings);
  EXPECT_EQ(m.language(), "");
  m.on_action({StartAct::kSettings});
  ASSERT_EQ(m.model().languages.at(1), "Deutsch");
  m.entries().language = 1;
  EXPECT_EQ(m.on_action({StartAct::kBack}), StartStep::kRescale);
  m.keep(settings);
  EXPECT_EQ(settings.language, "de");
  m.on_action({StartAct::kSettings});
  EXPECT_EQ(m.on_action({StartAct::kBack}), StartStep::kStay);
  const StartMenu other = menu({.language = "fr"});  // written by hand
  EXPECT_EQ(other.model().languages.at(other.model().languages.size() - 1), "fr");
  EXPECT_EQ(other.language(), "fr");
}

TEST(TestTone, IsThreeNotesThatDoNotClick) {
  TestTone tone;
  std::vector<float> turn(2 * media::kSoundTurn);
  float before = 0;
  float loudest = 0;
  int turns = 0;
  while (!tone.is_over() && turns < 1000) {
    tone.pull({}, turn);
    ++turns;
    for (std::size_t i = 0; i < turn.size(); i += 2) {
      EXPECT_LT(std::abs(turn[i] - before), 0.05f);
      EXPECT_EQ(turn[i], turn[i + 1]);
      before = turn[i];
      loudest = std::max(loudest, std::abs(before));
    }
  }
  EXPECT_EQ(turns, 90);
  EXPECT_NEAR(loudest, 0.3, 0.01);
  EXPECT_FALSE(tone.pull({}, turn));
}

}  // namespace
}  // namespace qvid::app
