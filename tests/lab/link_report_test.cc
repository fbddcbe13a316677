// What is told about a link.
#include "lab/emulator/link_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace qvid::lab {
namespace {

LinkReport report() {
  LinkReport report;
  report.running = 10s;
  report.up.packets = 12;
  report.up.delivered = 7;
  report.up.delivered_bytes = 1'250'000;
  report.up.queue_drops = 5;
  report.up.queue_marks = 3;
  for (const Duration d : {Duration(1ms), Duration(2ms), Duration(6ms)}) report.up.waiting.add(d);
  return report;
}

TEST(LinkReportText, NamesDropsMarksAndTheMeanWait) {
  const std::string text = text_of(report());
  EXPECT_NE(text.find("5 dropped and 3 marked by the queue"), std::string::npos) << text;
  EXPECT_NE(text.find("1.000 Mbit/s"), std::string::npos) << text;
  EXPECT_NE(text.find("waited 3.00 ms mean"), std::string::npos) << text;
}

TEST(LinkReportText, JsonHasThemToo) {
  const auto up = json_of(report()).at("up");
  EXPECT_EQ(up.at("queue_drops"), 5);
  EXPECT_EQ(up.at("queue_marks"), 3);
  EXPECT_EQ(up.at("waiting_ms").at("mean"), 3.0);
  EXPECT_EQ(up.at("waiting_ms").at("worst"), 6.0);
}

}  // namespace
}  // namespace qvid::lab
