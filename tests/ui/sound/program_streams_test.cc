// Shows which of the streams that a sound server plays are shared in a call, and that the call's own
// never are.
#include "ui/sound/program_streams.h"

#include <gtest/gtest.h>

namespace qvid::ui {
namespace {

std::vector<std::uint32_t> shared(const std::vector<PlayedStream>& played, std::size_t most = 32) {
  const std::vector<SoundClient> clients{
      {.index = 1, .process = "100"}, {.index = 2, .process = "200"}, {.index = 3, .process = ""}};
  std::vector<std::uint32_t> indices;
  for (const auto& stream : shared_streams(played, clients, "100", most)) {
    indices.push_back(stream.index);
  }
  return indices;
}

using Indices = std::vector<std::uint32_t>;

TEST(ProgramStreams, OthersAreShared) {
  EXPECT_EQ(shared({{.index = 7, .client = 2, .process = "200"},
                    {.index = 8, .client = 2},  // as by a library that says less
                    {.index = 9, .client = 3}}),
            (Indices{7, 8, 9}));
}

TEST(ProgramStreams, OwnOnesAreNotByWhicheverOfTheTwoSaysSo) {
  EXPECT_EQ(shared({{.index = 7, .client = 1, .process = "100"},
                    {.index = 8, .client = 1},
                    {.index = 9, .client = 2, .process = "100"}}),
            Indices{});
}

TEST(ProgramStreams, WhatPassesSoundOnIsNot) {
  EXPECT_EQ(shared({{.index = 7},  // a loopback of the server's own
                    {.index = 8, .client = 2, .filter = true},
                    {.index = 9, .client = 4}}),  // whose it was nobody knows
            Indices{});
}

TEST(ProgramStreams, NoMoreThanSoMany) {
  EXPECT_EQ(
      shared({{.index = 7, .client = 2}, {.index = 8, .client = 2}, {.index = 9, .client = 3}}, 2),
      (Indices{7, 8}));
}

}  // namespace
}  // namespace qvid::ui
