// What the experiment makes of Goddard's results that were made by hand, and of the product's report.
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/bed/stored_video.h"
#include "lab/experiments/experiment.h"
#include "tests/lab/outcome_values.h"

namespace qvid::lab {
namespace {

struct GoddardOutcome : testing::Test {
  GoddardOutcome() {
    for (const RunSpec& spec : experiment.plan({})) {
      RunResult& result = results.emplace_back();
      result.spec = spec;
      result.error = "not made";
    }
  }
  RunResult& run(std::string_view name) {
    return *std::ranges::find_if(results, [&](const RunResult& r) { return r.spec.name == name; });
  }
  // Of that run the stream, with so many bytes a slot.
  GoddardResult& stream(std::string_view name, std::int64_t bytes) {
    RunResult& result = run(name);
    result.error.clear();
    result.measured = result.spec.duration - result.spec.warm_up;
    for (const FlowSpec& spec : result.spec.flows) {
      FlowResult& flow = result.flows.emplace_back();
      flow.group = spec.group;
      flow.workload = spec.workload;
      flow.slots.assign(static_cast<std::size_t>(result.spec.duration / kSlot),
                        {.delivered = spec.workload == Workload::kGoddard ? bytes : 12'500});
    }
    return result.flows.back().goddard.emplace();
  }
  double number(std::string_view link, std::string_view viewer, std::string_view column) {
    const Outcome outcome = experiment.evaluate({}, results);
    const Table& table = outcome.tables.at(0);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      if (table.rows[i][0] == Cell(std::string(link)) &&
          table.rows[i][1] == Cell(std::string(viewer))) {
        return lab::number(table, i, column);
      }
    }
    ADD_FAILURE() << link << ", " << viewer << ": no such row";
    return 0;
  }

  const Experiment& experiment = *find_experiment("goddard");
  std::vector<RunResult> results;
};

TEST_F(GoddardOutcome, AdaptsWhereItStaysAtTheFairRate) {
  // Fair is 1.5 Mbit/s: scale 5. It opens at 1 s; the two seconds from 4 s on are too short.
  stream("3 Mbit/s, an FTP, MTP", 6250).scales = {{2, 6}, {4, 5}, {6, 6}, {9, 5}, {12, 4}};
  EXPECT_EQ(number("3 Mbit/s, an FTP", "MTP", "adaptation, s"), 8);
  EXPECT_EQ(number("3 Mbit/s, an FTP", "MTP", "first scale"), 6);
  EXPECT_NEAR(number("3 Mbit/s, an FTP", "MTP", "rate / FTP's"), 0.5, 1e-9);
}

TEST_F(GoddardOutcome, OfALinkThatChangesItCountsFromTheFall) {
  // 600 kbit/s from 8 s on: scale 3.
  stream("4 and 0.6 Mbit/s, TCP", 6250).scales = {{2, 3}, {5, 6}, {11, 3}};
  EXPECT_EQ(number("4 and 0.6 Mbit/s", "TCP", "adaptation, s"), 3);
}

TEST_F(GoddardOutcome, TheProductIsWantedToBeAsGood) {
  auto& mtp = stream("0.75 Mbit/s, MTP", 6250);
  mtp.scales = {{2, 4}};
  mtp.measures.start_up = 5s;
  mtp.measures.played = 10s;
  mtp.measures.stalled = 10s;
  mtp.measures.share[5] = 1;
  EXPECT_NEAR(number("0.75 Mbit/s", "MTP", "media shown, kbit/s"), 320, 1e-3);
  EXPECT_EQ(number("0.75 Mbit/s", "MTP", "mean scale"), 4);

  RunResult& product = run("0.75 Mbit/s, qvid");
  product.error.clear();
  auto file = std::make_shared<StoredFile>();
  file->video.frame_bytes.assign(300, 10'000);
  file->video.total_bytes = 3'000'000;  // 2.4 Mbit/s
  file->video.base_bytes = 600'000;     // 480 kbit/s
  product.stored = file;
  product.players.resize(1);
  product.players[0].report = {{"stored.start_up_ms", 400},       {"stored.stalls", 0},
                               {"stored.stalled_ms", 0},          {"stored.played_ms", 10'000},
                               {"stored.share_by_layers.0", 0},   {"stored.share_by_layers.1", .75},
                               {"stored.share_by_layers.2", .25}, {"bytes", 1e6}};
  EXPECT_NEAR(number("0.75 Mbit/s", "qvid", "media shown, kbit/s"), 960, 1e-3);
  const Outcome outcome = experiment.evaluate({}, results);
  const std::string what = "0.75 Mbit/s: qvid, start-up, s (Goddard's by MTP)";
  EXPECT_EQ(target(outcome, what), 0.4);
  const auto found = std::ranges::find(outcome.targets, what, &Target::what);
  EXPECT_EQ(found->wanted, 5);
}

}  // namespace
}  // namespace qvid::lab
