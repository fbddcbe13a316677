// A test between the two ends of an emulated link; skipped where there can be none.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "lab/emulator/emulator.h"

namespace e2e {

struct OnEmulatedLink : testing::Test {
  // `link`: as the lab writes it.
  explicit OnEmulatedLink(const char* link) : link_name(link) {}
  void SetUp() override {
    if (const std::string why = qvid::lab::missing_for_emulator(); !why.empty()) {
      GTEST_SKIP() << why;
    }
    const auto link = qvid::lab::parse_link(link_name);
    ASSERT_TRUE(link) << link.error().message;
    emulator = qvid::lab::Emulator::open(*link);
    emulator->start();
  }

  const char* link_name;
  std::unique_ptr<qvid::lab::Emulator> emulator;
};

}  // namespace e2e
