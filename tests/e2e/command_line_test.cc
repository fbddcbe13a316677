// Wrong command lines: each is refused at once, says what is wrong, where, and what to do instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/process.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

using nlohmann::json;

// A file does not appear by waiting: it is refused before anybody is told an address.
TEST(CommandLine, WhatIsNoVideoIsNotServed) {
  const qvid::TemporaryFolder folder;
  const std::string words = (folder / "README.md").string();
  std::ofstream(words) << "# Words\n\nNothing but words.\n";
  const std::string missing = (folder / "film.mp4").string();
  const std::string room = "qvid://127.0.0.1:1/den";
  const std::pair<std::vector<std::string>, std::string> table[] = {
      {{"serve", missing}, "there is no file \"" + missing},
      {{"serve", words}, "\"" + words + "\" is not a video"},
      {{"serve", folder.path().string()},
       "there is no video in the folder '" + folder.path().string()},
      {{"publish", missing, room}, missing},
      {{"publish", words, room}, words},
      {{"call", room, "--headless", "--source", missing}, missing},
      {{"call", "--host", "--headless", "--source", words}, words}};
  for (const auto& [arguments, says] : table) {
    std::vector<std::string> command{program()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    if (arguments[0] == "serve") command.insert(command.end(), {"--listen", "127.0.0.1:0"});
    Process process(command);
    EXPECT_EQ(process.wait(), 2) << process.log();
    EXPECT_NE(process.log().find(says), std::string::npos) << process.log();
    EXPECT_EQ(process.log().find("qvid play"), std::string::npos) << process.log();
    EXPECT_EQ(process.log().find("qvid call"), std::string::npos) << process.log();
  }
}

struct WrongCommand {
  std::vector<std::string> arguments;
  int exit_code;
  std::string says;
};

// What a stranger mistypes.
TEST(CommandLine, WrongInputIsExplained) {
  const qvid::TemporaryFolder folder;
  const std::string absent = (folder / "no" / "file").string();  // nor its folder
  const std::string words = (folder / "words").string();
  std::ofstream(words) << "Nothing but words.\n";
  const std::string cannot_write = "cannot write '" + absent + "': No such file or directory; name";
  const std::string nobody = "qvid://127.0.0.1:1/live";
  const std::vector<WrongCommand> table{
      // Words. (None at all: tests/e2e/start_test.cc.)
      {{"fly"}, 2, "there is no sub-command 'fly'"},
      {{"admin", "doors"}, 2, "qvid admin: there is no sub-command 'doors'"},
      {{"play"}, 2, "qvid play: url is required"},
      {{"play", "qvid://h/live", "--windov", "3"}, 2, "qvid play: there is no option '--windov'"},
      {{"serve", "a.mp4", "b.mp4"}, 2, "'b.mp4' is one word too many"},
      {{"serve", "camrea"}, 2, "camera"},
      {{"serve", "test:foo"}, 2, "type test or test:sync"},
      {{"serve", "test", "--controller", "warp"}, 2, "sock"},
      {{"serve", "test", "--codec", "hevc"}, 2, "--codec: hevc not in {h264,av1,auto}"},
      {{"play", "qvid://h/live", "--playout", "never"}, 2, "never not in {early,smooth,fixed}"},
      {{"call"}, 2, "the URL of a room"},
      {{"call", "qvid://h/den", "--host"}, 2, "not both"},
      {{"call", nobody, "--name", "A\nB", "--source", "test"}, 2, "--name: 1 to 64 bytes"},
      {{"capacity", "--publishers", "nan"}, 2, "is not 0 to 1e+06"},
      {{"capacity", "--spread", "2"}, 2, "say --nodes"},
      {{"token"}, 2, "--new-key FILE"},
      {{"token", "--revoke", absent}, 2, "say in which list with --revoked FILE"},
      {{"token", "--revoke", absent, "--revoked", absent}, 2, "neither a token nor a file"},
      {{"broker", "--token-audience", "x"}, 2, "say token_key, too"},
      {{"broker", "--token-key", words, "--token-revoked", absent}, 2, "32 to 1024 bytes"},
      {{"broker", "--token-key", words, "--token-reload", "maybe"}, 2, "maybe not in {close,keep}"},
      // URLs, addresses, ports.
      {{"play", "http://localhost/live", "--headless"}, 2, "unknown scheme"},
      {{"play", "live", "--headless"}, 2, "is no URL"},
      {{"check", "127.0.0.1:7400"}, 2, "write qvid://host[:port]"},
      {{"play", "qvid://:7400/live", "--headless"}, 2, "names no host"},
      {{"play", "qvid://host:99999/live", "--headless"}, 2, "(1 to 65535)"},
      {{"list", "qvid://host:0"}, 2, "(1 to 65535)"},
      {{"play", "qvid://localhost/live#sha256:x", "--headless"}, 2, "fingerprint"},
      {{"list", "qvid://127.0.0.1:1"}, 3, "error cannot connect to 127.0.0.1:1: "},
      {{"serve", "test", "--listen", "here:there:7"}, 2, "is no address"},
      {{"serve", "test", "--listen", "7400"}, 2, "'7400' is no address: write host:port"},
      {{"serve", "test", "--listen", "127.0.0.1:99999"}, 2, "is no address"},
      {{"serve", "test", "--listen", "192.0.2.1:0", "--open"},
       1,
       "give an address of this machine"},
      {{"broker", "--metrics", "9464"}, 2, "--metrics: '9464' is no address"},
      // What would let anybody in.
      {{"serve", "test", "--listen", "0.0.0.0:0"}, 2, "--open"},
      {{"serve", "test", "--listen", "0.0.0.0:0", "--open", "--insecure"}, 2, "--force-insecure"},
      {{"play", "qvid://192.0.2.1/live", "--headless", "--insecure"}, 2, "--force-insecure"},
      // Numbers and units.
      {{"play", "qvid://h/live", "--window", "0"}, 2, "--window"},
      {{"play", "qvid://h/live", "--window", "100ms"}, 2, "--window: Value 100ms not in range"},
      {{"play", "qvid://h/a.mkv", "--headless", "--start", "1:99"}, 2, "1:02:03"},
      {{"serve", "test", "--size", "1920"}, 2, "write WIDTHxHEIGHT"},
      {{"serve", "test", "--size", "99999x1"}, 2, "even numbers from 16 to 4096"},
      {{"serve", "test", "--size", "641x480"}, 2, "even numbers"},
      {{"serve", "test", "--rate", "0"}, 2, "frame rate"},
      {{"serve", "test", "--rate", "30fps"}, 2, "as 30 or 30000/1001"},
      {{"serve", "test", "--bitrate", "-3"}, 2, "bitrate"},
      {{"serve", "test", "--bitrate", "2500"}, 2, "as 2500k or 2.5M"},
      {{"serve", "test", "--min-buf", "1;3"}, 2, "two numbers"},
      {{"broker", "--drain", "soon"}, 2, "--drain: Value soon not in range"},
      // Files that are not there, or are something else.
      {{"serve", "test", "--files", absent}, 2, absent},
      {{"serve", "test", "--certificate", "a.pem"}, 2, "--key"},
      {{"serve", "test", "--certificate", absent, "--key", absent}, 2, absent},
      {{"serve", "test", "--microphone", absent + ".wav"}, 2, absent},
      {{"play", "qvid://localhost/live", "--ca", absent}, 2, absent},
      {{"call", nobody, "--token", absent}, 2, "neither a token nor a file"},
      {{"broker", "--config", absent}, 2, absent},
      {{"broker", "--config", words}, 2, words + ":1: write key = value"},
      {{"broker", "--token-key", absent}, 2, "make it with qvid token --new-key"},
      {{"mon", absent}, 1, "--wait waits for it"},
      {{"mon", words}, 1, "is no log of signals"},
      {{"prepare", words}, 1, "is not a video"},
      // What cannot be written.
      {{"play", nobody, "--headless", "--screenshot", absent}, 2, cannot_write},
      {{"play", nobody, "--headless", "--frames", absent}, 2, cannot_write},
      {{"play", nobody, "--headless", "--output-log", absent}, 2, "cannot write what is shown"},
      {{"call", nobody, "--headless", "--source", "test", "--screenshot", absent}, 2, cannot_write},
      {{"record", nobody, "-o", absent + ".mkv"}, 2, "name a file in a folder"},
      {{"record", nobody, "-o", "film.avi"}, 2, ".mkv or .mp4"},
      {{"serve", "test", "--signals", absent}, 1, "--signals: cannot write"},
      {{"token", "--new-key", words}, 1, "choose another name"},
  };
  for (const WrongCommand& wrong : table) {
    std::vector<std::string> command{program()};
    command.insert(command.end(), wrong.arguments.begin(), wrong.arguments.end());
    Process process(command);
    EXPECT_EQ(process.wait(), wrong.exit_code) << ::testing::PrintToString(wrong.arguments);
    EXPECT_NE((process.log() + process.out()).find(wrong.says), std::string::npos)
        << ::testing::PrintToString(wrong.arguments) << process.log();
  }
}

TEST(CommandLine, HelpAndSources) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"serve", "--help"},
                                                    {"play", "--help"},
                                                    {"sources"},
                                                    {"--version"}}) {
    std::vector<std::string> command{program()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Process process(command);
    EXPECT_EQ(process.wait(), 0);
    EXPECT_FALSE(process.out().empty());
  }
  Process sources({program(), "sources", "--json"});
  EXPECT_EQ(sources.wait(), 0);
  const json list = json::parse(sources.out());
  EXPECT_TRUE(
      std::any_of(list.begin(), list.end(), [](const json& s) { return s["source"] == "test"; }));
}

}  // namespace
}  // namespace e2e
