#include "app/command/usage_error.h"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

namespace qvid::app {
namespace {

// What a program with these commands says of the words; empty: they are right.
std::string said_of(std::vector<std::string> words) {
  CLI::App program("", "qvid");
  program.require_subcommand(1);
  program.fallthrough();
  program.add_flag("--json");
  CLI::App* play = program.add_subcommand("play");
  std::string url;
  int window = 0;
  play->add_option("url", url)->required();
  play->add_option("--window", window)->check(CLI::Range(1, 300));
  program.add_subcommand("admin")->require_subcommand(1)->add_subcommand("rooms");
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    program.parse(words);
  } catch (const CLI::ParseError& error) {
    return usage_error(&program, error);
  }
  return {};
}

TEST(UsageError, SaysWhatIsWrongOfWhichCommandAndWhereHelpIs) {
  EXPECT_EQ(said_of({"play", "x"}), "");
  const std::pair<std::vector<std::string>, const char*> table[] = {
      {{}, "qvid: A subcommand is required\n`qvid --help` tells"},
      {{"fly"}, "qvid: there is no sub-command 'fly'\n`qvid --help` tells"},
      {{"--fly"}, "qvid: there is no option '--fly'\n"},
      {{"fly", "--json"}, "qvid: there is no sub-command 'fly'\n"},
      {{"play"}, "qvid play: url is required\n`qvid play --help` tells"},
      {{"play", "--windov", "3"}, "qvid play: there is no option '--windov'\n"},
      {{"play", "x", "--duratoin", "3"}, "qvid play: there is no option '--duratoin'\n"},
      {{"play", "x", "y"}, "qvid play: 'y' is one word too many\n"},
      {{"play", "x", "--window", "0"}, "qvid play: --window: "},
      {{"admin"}, "qvid admin: A subcommand is required\n"},
      {{"admin", "doors"}, "qvid admin: there is no sub-command 'doors'\n`qvid admin --help`"}};
  for (const auto& [words, expected] : table) {
    EXPECT_TRUE(said_of(words).starts_with(expected)) << said_of(words) << expected;
  }
}

}  // namespace
}  // namespace qvid::app
