// Shows what is remembered, how a file written by hand is read and changed, and that a broken one
// harms nobody.
#include "app/settings/settings.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "app/options/toml_text.h"
#include "app/settings/settings_file.h"
#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

Settings all_changed() {
  return {.name = "Łukasz \"陈\\伟\"",
          .camera = "Integrated Camera",
          .microphone = "none",
          .loudspeaker = "HDMI",
          .join_muted = true,
          .join_without_camera = true,
          .push_to_talk = true,
          .layout = std::string(kSpeaker),
          .window_width = 1000,
          .window_height = 700,
          .scale = 1.5f,
          .language = "pt_BR",
          .notifications = false,
          .reduced_motion = true,
          .limit_up = "800k",
          .limit_down = "1.5M",
          .proxy = "socks5://p:1080",
          .recent = {"qvid://a/b", "qvid://[::1]:7500/den"},
          .volumes = {"0.5 Ann", "4 Łukasz van Lee"}};
}

Settings read(const std::string& text) {
  const auto settings = parse_settings(text, "s.toml");
  EXPECT_TRUE(settings) << settings.error().message;
  EXPECT_TRUE(settings->troubles.empty()) << settings->troubles.front();
  return settings->settings;
}

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Settings, WhatIsWrittenIsRead) {
  const auto text = changed_text("", all_changed());
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(read(*text), all_changed());
  for (const std::string_view key : settings_keys()) {
    EXPECT_NE(text->find("\n" + std::string(key) + " = "), std::string::npos) << key;
  }
  const auto back = changed_text(*text, Settings());
  ASSERT_TRUE(back);
  EXPECT_EQ(read(*back), Settings());
}

TEST(Settings, VolumesAreByName) {
  Settings settings;
  settings.volumes = {"0.5 Ann", "2 Bob Lee"};
  EXPECT_EQ(volumes_of(settings), (std::map<std::string, float>{{"Ann", 0.5f}, {"Bob Lee", 2}}));
  keep_volumes(settings, {{"Ann", 1}, {"Cid", 1.25f}, {"Dee", 1}});
  EXPECT_EQ(settings.volumes, (std::vector<std::string>{"1.25 Cid", "2 Bob Lee"}));
  std::map<std::string, float> many;
  for (int i = 0; i < 100; ++i) many["n" + std::to_string(i)] = 3;
  keep_volumes(settings, many);
  EXPECT_EQ(settings.volumes.size(), kMostVolumes);
  for (const std::string& volume : settings.volumes) EXPECT_TRUE(volume.starts_with("3 n"));
}

TEST(Settings, AVolumeOrLanguageThatIsNoneIsTold) {
  for (const char* text :
       {"volumes = [\"Ann\"]", "volumes = [\"9 Ann\"]", "volumes = [\"nan Ann\"]",
        "volumes = [\"0.5 \"]", "volumes = [\"0.5x Ann\"]", "language = \"../x\"",
        "language = \"abcdefghijklmnopq\""}) {
    const auto read = parse_settings(text, "s.toml");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->troubles.size(), 1u) << text;
    EXPECT_EQ(read->settings, Settings()) << text;
  }
}

TEST(Settings, WhatAPersonWroteStays) {
  const std::string text = R"(# mine: ä
name='Ann'   # me
future = { a = 1, b = [2] }
recent = ["qvid://a/b", # first
  'qvid://c/d',
  ] # end

[later]
name = "not this"
)";
  Settings settings = read(text);
  settings.name = "Bob";
  settings.scale = 2;
  add_recent(settings, "qvid://c/d");
  const auto changed = changed_text(text, settings);
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(*changed, R"(# mine: ä
name="Bob"   # me
future = { a = 1, b = [2] }
recent = [
  "qvid://c/d",
  "qvid://a/b",
] # end
scale = 2

[later]
name = "not this"
)");
  EXPECT_EQ(read(*changed), settings);
}

TEST(Settings, NewKeysStandWhereTheyCount) {
  Settings settings;
  settings.name = "Ann";
  for (const std::string text : {"[table]\nx = 1\n", "x = 1", "# only a comment",
                                 "a.b = 2\n[[c]]\n", "x = [\n1\n]", "x = 'ä' # ö"}) {
    SCOPED_TRACE(text);
    const auto changed = changed_text(text, settings);
    ASSERT_TRUE(changed) << changed.error().message;
    EXPECT_EQ(read(*changed), settings) << *changed;
  }
  EXPECT_FALSE(changed_text("[name]\nx = 1\n", settings));
  EXPECT_FALSE(changed_text("name.first = 1\n", settings));
  EXPECT_FALSE(changed_text("name =", settings));
}

TEST(Settings, AWrongValueIsToldAndTheRestHolds) {
  const auto wrong = parse_settings(
      "name = 5\nscale = 9.5\nlayout = \"round\"\nlimit_up = \"much\"\nproxy = \"ftp://x\"\n"
      "recent = [\"http://x\"]\nwindow_width = -1\njoin_muted = 1\ncamera = \"Cam\"\n",
      "s.toml");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->settings, Settings{.camera = "Cam"});
  ASSERT_EQ(wrong->troubles.size(), 8u);
  EXPECT_EQ(wrong->troubles.front(), "s.toml:1: 'name': write a text in quotes");
  EXPECT_NE(wrong->troubles[4].find("'scale': write a number from 0.5 to 4"), std::string::npos)
      << wrong->troubles[4];
}

TEST(Settings, RecentRoomsAreFewAndOnce) {
  Settings settings;
  for (int i = 0; i < 20; ++i) add_recent(settings, "qvid://h/" + std::to_string(i));
  add_recent(settings, "qvid://h/15");
  ASSERT_EQ(settings.recent.size(), kMostRecent);
  EXPECT_EQ(settings.recent[0], "qvid://h/15");
  EXPECT_EQ(settings.recent[1], "qvid://h/19");
  EXPECT_EQ(std::ranges::count(settings.recent, "qvid://h/15"), 1);
}

TEST(SettingsFile, IsMadeForItsOwnerAndKeepsWhatOthersChanged) {
  const TemporaryFolder folder;
  const auto file = folder / "qvid/settings.toml";
  EXPECT_EQ(load_settings(file).settings, Settings());
  EXPECT_FALSE(change_settings(file, [](Settings& s) { s.name = "Ann"; }));
  EXPECT_FALSE(change_settings(file, [](Settings& s) { s.scale = 2; }));
  const ReadSettings read = load_settings(file);
  EXPECT_TRUE(read.troubles.empty());
  EXPECT_EQ(read.settings, (Settings{.name = "Ann", .scale = 2}));
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  EXPECT_EQ(contents(file).substr(0, 20), "# What Qvid remember");
}

TEST(SettingsFile, ALinkStaysOne) {
  const TemporaryFolder folder;
  const auto real = folder / "dotfiles.toml";
  std::ofstream(real) << "name = \"Ann\"\n";
  std::filesystem::create_symlink(real, folder / "settings.toml");
  EXPECT_FALSE(change_settings(folder / "settings.toml", [](Settings& s) { s.name = "Bob"; }));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "settings.toml"));
  EXPECT_EQ(contents(real), "name = \"Bob\"\n");
}

TEST(SettingsFile, ABrokenOneIsSetAside) {
  const TemporaryFolder folder;
  const auto file = folder / "settings.toml";
  std::ofstream(file) << "name = \"An";  // half written
  const ReadSettings read = load_settings(file);
  EXPECT_EQ(read.settings, Settings());
  ASSERT_EQ(read.troubles.size(), 1u);
  EXPECT_NE(read.troubles[0].find("settings.toml:1: "), std::string::npos) << read.troubles[0];
  EXPECT_NE(read.troubles[0].find("settings.toml.broken"), std::string::npos) << read.troubles[0];
  EXPECT_EQ(contents(folder / "settings.toml.broken"), "name = \"An");
  EXPECT_FALSE(change_settings(file, [](Settings& s) { s.name = "Ann"; }));
  EXPECT_EQ(load_settings(file).settings.name, "Ann");
}

TEST(SettingsFile, WhereNothingCanBeWrittenItIsSaid) {
  const TemporaryFolder folder;
  std::ofstream(folder / "qvid") << "a file in the folder's place";
  const auto error =
      change_settings(folder / "qvid/settings.toml", [](Settings& s) { s.name = "Ann"; });
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("cannot"), std::string::npos) << error->message;
  EXPECT_FALSE(change_settings({}, [](Settings& s) { s.name = "Ann"; }));  // nothing is remembered
}

TEST(Settings, TheirPageHasEveryKey) {
  const std::string page = contents(QVID_DOCS "/settings.md");
  for (const std::string_view key : settings_keys()) {
    EXPECT_NE(page.find("| `" + std::string(key) + "` |"), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace qvid::app
