// What the experiments with the product make of players' frames and reports that were made by hand.
#include <gtest/gtest.h>

#include "lab/bed/stored_video.h"
#include "lab/experiments/experiment.h"
#include "tests/lab/outcome_values.h"

namespace qvid::lab {
namespace {

// 30 frames a second for so long; `layer` of the second since the run's begin, -1: lost.
template <class Layer>
PlayerResult viewer(double seconds, Layer layer, std::string group = "") {
  PlayerResult player;
  player.group = std::move(group);
  for (int i = 0; i < static_cast<int>(30 * seconds); ++i) {
    const double at = i / 30.0;
    PlayedFrame frame{.number = i, .captured_ms = 1e3 * at, .layer = layer(at)};
    if (frame.layer >= 0) {
      frame.shown_ms = 1e3 * at;
      frame.delay_ms = 210;
    }
    player.frames.push_back(frame);
  }
  return player;
}

std::vector<RunResult> results_of(const Experiment& experiment) {
  std::vector<RunResult> results;
  for (const RunSpec& spec : experiment.plan({})) {
    RunResult& result = results.emplace_back();
    result.spec = spec;
    result.error = "not made";
  }
  return results;
}

double number(const Outcome& outcome, std::size_t row, std::string_view column) {
  return number(outcome.tables.at(0), row, column);
}

TEST(SwitchingOutcome, HasGapsAndTheTimeUntilQualityIsBack) {
  const Experiment& experiment = *find_experiment("switching");
  auto results = results_of(experiment);
  results[0].error.clear();
  // The base alone at the low rate and for a second and a half after it; half a second is lost.
  results[0].players.push_back(viewer(121, [](double at) {
    if (at >= 50 && at < 50.5) return -1;
    const double phase = at - 30 * static_cast<int>(at / 30);
    return phase >= 15 || (at >= 30 && phase < 1.5) ? 0 : 1;
  }));
  const Outcome outcome = experiment.evaluate({}, results);
  EXPECT_EQ(number(outcome, 0, "freezes"), 1);
  EXPECT_NEAR(target(outcome, "longest gap between two frames, ms"), 500 + 1000.0 / 30, 1);
  EXPECT_NEAR(target(outcome, "all layers again, worst of the rises, s"), 1.5, 0.04);
  EXPECT_NEAR(number(outcome, 0, "frames with all layers at 4 Mbit/s"), 1 - 4.5 / 57, 0.002);
  EXPECT_EQ(number(outcome, 0, "at 0.6 Mbit/s"), 0);
  EXPECT_EQ(number(outcome, 0, "delay, median, ms"), 210);
}

TEST(SwitchingOutcome, AFailedPlayerIsNotJudged) {
  const Experiment& experiment = *find_experiment("switching");
  auto results = results_of(experiment);
  results[0].error.clear();
  results[0].players.push_back(viewer(120, [](double) { return 1; }));
  results[0].players[0].error = "a player failed";
  EXPECT_TRUE(experiment.evaluate({}, results).targets.empty());
}

TEST(ViewersOutcome, TheTroubledOneDoesNotCount) {
  const Experiment& experiment = *find_experiment("viewers");
  auto results = results_of(experiment);
  for (std::size_t i = 1; i < 3; ++i) {
    results[i].error.clear();
    results[i].server.cpu_seconds = 6;
    results[i].server.report = {{"encoder.frames", 900}, {"encoder.ms_per_frame", 2}};
    for (const PlayerSpec& player : results[i].spec.programs.players) {
      const bool troubled = player.group == "troubled";
      results[i].players.push_back(viewer(
          31, [&](double at) { return troubled && at > 10 ? -1 : 1; }, player.group));
    }
  }
  const Outcome outcome = experiment.evaluate({}, results);
  EXPECT_NEAR(target(outcome, "10 viewers, one halts: the others' longest gap, ms"), 33.3, 1);
  EXPECT_EQ(target(outcome, "10 viewers, one halts: the others' lost frames"), 0);
  EXPECT_EQ(number(outcome, 2, "CPU of the server, of a core"), 0.25);
  EXPECT_EQ(number(outcome, 2, "encoder, ms a frame"), 2);
}

TEST(ViewersOutcome, AWatchingOneDoes) {
  const Experiment& experiment = *find_experiment("viewers");
  auto results = results_of(experiment);
  results[3].error.clear();
  for (const PlayerSpec& player : results[3].spec.programs.players) {
    const bool first = results[3].players.empty();
    results[3].players.push_back(viewer(
        31, [&](double at) { return first && at > 10 && at < 11 ? -1 : 1; }, player.group));
  }
  const Outcome outcome = experiment.evaluate({}, results);
  EXPECT_NEAR(target(outcome, "10 viewers, one dies: the others' longest gap, ms"), 1033, 40);
}

TEST(StoredOutcome, HasTheReportBesideTheReckoning) {
  const Experiment& experiment = *find_experiment("stored");
  auto results = results_of(experiment);
  auto file = std::make_shared<StoredFile>();
  file->video.frame_bytes.assign(1200, 10'000);
  results[0].error.clear();
  results[0].stored = file;
  results[0].players.resize(1);
  results[0].players[0].report = {{"stored.start_up_ms", 400},
                                  {"stored.stalls", 2},
                                  {"stored.stalled_ms", 1500},
                                  {"stored.share_by_layers.2", 0.75}};
  results[1].error.clear();
  results[1].flows.resize(1);
  results[1].flows[0].group = "plain TCP";
  results[1].flows[0].start = Timestamp(2s);
  results[1].flows[0].slots.assign(480, {.delivered = 30'000});  // the video's rate, at once
  const Outcome outcome = experiment.evaluate({}, results);
  EXPECT_EQ(number(outcome, 0, "start-up, s"), 0.4);
  EXPECT_EQ(number(outcome, 0, "re-buffering"), 2);
  EXPECT_EQ(number(outcome, 0, "re-buffering, s"), 1.5);
  EXPECT_EQ(number(outcome, 0, "time with all layers"), 0.75);
  EXPECT_EQ(target(outcome, "16 Mbit/s: re-buffering events"), 2);
  EXPECT_EQ(number(outcome, 1, "re-buffering"), 0);
  EXPECT_EQ(number(outcome, 1, "layers shown"), 2);
  EXPECT_NEAR(number(outcome, 1, "played, s"), 40, 0.1);
}

TEST(StoredOutcome, TheSlowestSeekCounts) {
  const Experiment& experiment = *find_experiment("stored");
  auto results = results_of(experiment);
  RunResult& run = results.back();
  run.error.clear();
  run.stored = std::make_shared<StoredFile>();
  run.players.resize(1);
  run.players[0].report = {{"stored.seek_ms.0", 50}, {"stored.seek_ms.1", 90}};
  EXPECT_EQ(target(experiment.evaluate({}, results), "16 Mbit/s, four seeks: slowest, ms"), 90);
}

constexpr double kRunBegins = 1000;  // on the machine's clock

// What a player put out that is on the clock `late_ms` behind: a flash a second, and a beep.
OutputTable synchronous(double seconds, double flash_late_ms) {
  OutputTable table;
  for (int i = 0; i < static_cast<int>(30 * seconds); ++i) {
    table.pictures.push_back(
        {kRunBegins + i / 30.0 + flash_late_ms / 1e3, i % 30 < 3 ? 235.0 : 16.0});
  }
  for (int second = 0; second < static_cast<int>(seconds); ++second) {
    for (int i = 0; i < 24; ++i) table.heard.push_back({kRunBegins + second + i * kLevelTime, -15});
  }
  return table;
}

TEST(LipsyncOutcome, HasTheWorstErrorOfEachLink) {
  for (const char* name : {"lipsync", "lipsync-room"}) {
    const Experiment& experiment = *find_experiment(name);
    auto results = results_of(experiment);
    results[0].error.clear();
    results[0].begin = Timestamp(from_seconds(kRunBegins));
    results[0].players.resize(1);
    results[0].players[0].output = synchronous(60, 20);
    results[0].players[0].report = {{"sound.delay_ms", 80}};
    // A beep that is not heard, after one that comes early.
    std::erase_if(results[0].players[0].output.heard,
                  [](const OutputValue& level) { return level.at >= 1030 && level.at < 1030.9; });
    for (OutputValue& level : results[0].players[0].output.heard) {
      if (level.at >= 1029 && level.at < 1029.9) level.at -= 0.05;
    }
    const Outcome outcome = experiment.evaluate({}, results);
    EXPECT_NEAR(number(outcome, 0, "error, median, ms"), 20, 0.1);
    EXPECT_NEAR(number(outcome, 0, "its size, 95%, ms"), 20, 0.1);
    EXPECT_NEAR(target(outcome, "clean: worst error either way, ms"), 70, 0.1);
    EXPECT_EQ(target(outcome, "clean: beeps missing"), 1);
    EXPECT_EQ(number(outcome, 0, "flashes missing"), 0);
    EXPECT_EQ(number(outcome, 0, "sound behind its least, ms"), 80);
    EXPECT_EQ(outcome.targets.size(), 2u);
  }
}

TEST(SoundOutcome, HasGapsDelayAndTheReport) {
  const Experiment& experiment = *find_experiment("sound");
  auto results = results_of(experiment);
  RunResult& run = results[0];
  run.error.clear();
  run.begin = Timestamp(from_seconds(kRunBegins));
  run.measured = run.spec.duration - run.spec.warm_up;
  run.players.push_back(viewer(131, [](double) { return 0; }));
  run.players[0].report = {{"sound.longest_gap_ms", 45}, {"sound.late", 3}};
  FlowSlot slot;
  slot.delivered = 1500;  // in 100 ms: 120 kbit/s
  run.flows.resize(1);
  run.flows[0].group = "rival";
  run.flows[0].slots.resize(1300, slot);
  // Levels that are like no others for minutes.
  std::uint32_t random = 1;
  for (int i = 0; i < 400 * 130; ++i) {
    if (i % 40 == 0) random = random * 1664525 + 1013904223;
    const double level = -40 + static_cast<double>(random >> 27);
    const double at = kRunBegins + i * kLevelTime;
    run.server.output.spoken.push_back({at, level});
    if (at < kRunBegins + 60 || at >= kRunBegins + 60.1) {
      run.players[0].output.heard.push_back({at + 0.12, level});
    }
  }
  const Outcome outcome = experiment.evaluate({}, results);
  EXPECT_NEAR(number(outcome, 0, "longest gap heard, ms"), 100, 1);
  EXPECT_EQ(target(outcome, "queue of 1 s: gaps heard over 60 ms"), 1);
  EXPECT_EQ(target(outcome, "queue of 1 s: longest gap due, ms"), 45);
  EXPECT_EQ(number(outcome, 0, "packets late"), 3);
  EXPECT_NEAR(number(outcome, 0, "delay, median, ms"), 120, 0.1);
  EXPECT_EQ(number(outcome, 0, "with all layers"), 0);
  EXPECT_NEAR(target(outcome, "queue of 1 s: the rival's share of the link"), 0.4, 0.001);
  EXPECT_EQ(target(outcome, "queue of 1 s: frames a second"),
            number(outcome, 0, "frames a second"));
  EXPECT_EQ(outcome.targets.size(), 4u);
}

TEST(MouthToEarOutcome, HasTheDelayOfClicks) {
  const Experiment& experiment = *find_experiment("mouth-to-ear");
  auto results = results_of(experiment);
  results[0].error.clear();
  results[0].begin = Timestamp(from_seconds(kRunBegins));
  results[0].players.resize(1);
  for (int second = 0; second < 40; ++second) {
    const double at = kRunBegins + second + 0.5;
    results[0].server.output.spoken.push_back({at, -9});
    if (second != 20) results[0].players[0].output.heard.push_back({at + 0.1, -12});
  }
  const Outcome outcome = experiment.evaluate({}, results);
  EXPECT_NEAR(target(outcome, "served, with a picture: delay, 95%, ms"), 100, 0.1);
  EXPECT_EQ(target(outcome, "served, with a picture: clicks missing"), 1);
}

TEST(VoiceLossOutcome, HasTheGapsThatWereHeard) {
  const Experiment& experiment = *find_experiment("voice-loss");
  auto results = results_of(experiment);
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0].spec.programs.players[0].arguments, std::vector<std::string>());
  EXPECT_EQ(results[1].spec.programs.players[0].arguments,
            (std::vector<std::string>{"--udp", "never"}));
  results[0].error.clear();
  results[0].begin = Timestamp(from_seconds(kRunBegins));
  results[0].players.resize(1);
  for (int i = 0; i * kLevelTime < 70; ++i) {
    const double at = kRunBegins + i * kLevelTime;
    // One gap of 80 ms where it counts, one before.
    const bool gap = (at >= kRunBegins + 40 && at < kRunBegins + 40.08) ||
                     (at >= kRunBegins + 5 && at < kRunBegins + 5.2);
    if (!gap) results[0].players[0].output.heard.push_back({at, -20});
  }
  const Outcome outcome = experiment.evaluate({}, results);
  EXPECT_NEAR(number(outcome, 0, "longest gap heard, ms"), 80, 3);
  EXPECT_EQ(target(outcome, "5%, by UDP: gaps heard over 60 ms"), 1);
}

}  // namespace
}  // namespace qvid::lab
