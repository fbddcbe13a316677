// Streams share by bytes over weight; a new or returning stream has no credit from its silence.
#include "transport/send/stream_scheduler.h"

#include <gtest/gtest.h>

#include <map>

namespace paceline {
namespace {

const StreamId a{0};
const StreamId b{2};
const StreamId c{4};

// Sends chunks of each stream's size until `total` bytes went out; the bytes of each.
std::map<StreamId, std::int64_t> run(StreamScheduler& scheduler,
                                     const std::map<StreamId, std::int64_t>& chunk,
                                     std::int64_t total) {
  std::map<StreamId, std::int64_t> sent;
  for (std::int64_t done = 0; done < total;) {
    const StreamId turn = *scheduler.next();
    const std::int64_t bytes = chunk.at(turn);
    scheduler.charge(turn, static_cast<double>(bytes));
    sent[turn] += bytes;
    done += bytes;
  }
  return sent;
}

StreamScheduler with_streams(std::initializer_list<std::pair<StreamId, double>> streams) {
  StreamScheduler scheduler;
  for (const auto& [stream, weight] : streams) scheduler.add(stream, weight);
  return scheduler;
}

TEST(StreamScheduler, NothingActiveHasNoTurn) {
  StreamScheduler scheduler = with_streams({{a, 1}});
  EXPECT_FALSE(scheduler.next());
  scheduler.activate(a);
  EXPECT_EQ(scheduler.next(), a);
  scheduler.activate(a);
  scheduler.deactivate(a);
  EXPECT_FALSE(scheduler.next());
  scheduler.deactivate(a);
  scheduler.deactivate(c);  // never added
  EXPECT_FALSE(scheduler.next());
}

TEST(StreamScheduler, FairByBytesWhateverTheSizeOfTheChunks) {
  StreamScheduler scheduler = with_streams({{a, 1}, {b, 1}, {c, 1}});
  for (const StreamId s : {a, b, c}) scheduler.activate(s);
  auto sent = run(scheduler, {{a, 100}, {b, 1400}, {c, 16000}}, 3'000'000);
  EXPECT_NEAR(static_cast<double>(sent[a]), 1e6, 16000);
  EXPECT_NEAR(static_cast<double>(sent[b]), 1e6, 16000);
  EXPECT_NEAR(static_cast<double>(sent[c]), 1e6, 16000);
}

TEST(StreamScheduler, SharesGoByWeight) {
  StreamScheduler scheduler = with_streams({{a, 1}, {b, 2}, {c, 0.5}});
  for (const StreamId s : {a, b, c}) scheduler.activate(s);
  auto sent = run(scheduler, {{a, 1000}, {b, 1000}, {c, 1000}}, 3'500'000);
  EXPECT_NEAR(static_cast<double>(sent[a]), 1e6, 3000);
  EXPECT_NEAR(static_cast<double>(sent[b]), 2e6, 3000);
  EXPECT_NEAR(static_cast<double>(sent[c]), 0.5e6, 3000);
}

TEST(StreamScheduler, FairStartAtTheMinimumOfTheActive) {
  StreamScheduler scheduler = with_streams({{a, 1}, {b, 1}});
  scheduler.activate(a);
  scheduler.activate(b);
  run(scheduler, {{a, 1000}, {b, 1000}}, 1'000'000);
  scheduler.add(c, 1);
  scheduler.activate(c);
  auto sent = run(scheduler, {{a, 1000}, {b, 1000}, {c, 1000}}, 30'000);
  EXPECT_NEAR(static_cast<double>(sent[c]), 10'000, 1000);
  EXPECT_NEAR(static_cast<double>(sent[a]), 10'000, 1000);
}

TEST(StreamScheduler, FairStartAtTheMaximumOfTheIdle) {
  StreamScheduler scheduler = with_streams({{a, 1}, {b, 1}});
  scheduler.activate(a);
  run(scheduler, {{a, 1000}}, 100'000);
  scheduler.deactivate(a);
  scheduler.activate(b);  // none active: starts where a stopped
  scheduler.activate(a);
  auto sent = run(scheduler, {{a, 1000}, {b, 1000}}, 20'000);
  EXPECT_EQ(sent[a], 10'000);
  EXPECT_EQ(sent[b], 10'000);
}

TEST(StreamScheduler, SilenceEarnsNoCredit) {
  StreamScheduler scheduler = with_streams({{a, 1}, {b, 1}});
  scheduler.activate(a);
  scheduler.activate(b);
  run(scheduler, {{a, 1000}, {b, 1000}}, 10'000);
  scheduler.deactivate(b);
  run(scheduler, {{a, 1000}}, 1'000'000);
  scheduler.activate(b);
  auto sent = run(scheduler, {{a, 1000}, {b, 1000}}, 20'000);
  EXPECT_NEAR(static_cast<double>(sent[a]), 10'000, 1000);
  EXPECT_NEAR(static_cast<double>(sent[b]), 10'000, 1000);
}

// What a stream took beyond its share it does not get back by pausing for a moment.
TEST(StreamScheduler, DebtOutlivesAPause) {
  StreamScheduler scheduler = with_streams({{a, 1}, {b, 1}});
  scheduler.activate(a);
  scheduler.activate(b);
  scheduler.charge(a, 50'000);
  scheduler.deactivate(a);
  scheduler.activate(a);
  auto sent = run(scheduler, {{a, 1000}, {b, 1000}}, 50'000);
  EXPECT_EQ(sent[a], 0);
}

TEST(StreamScheduler, RemovedStreamIsForgotten) {
  StreamScheduler scheduler = with_streams({{a, 1}, {b, 1}});
  scheduler.activate(a);
  scheduler.activate(b);
  scheduler.remove(a);
  EXPECT_EQ(scheduler.next(), b);
  scheduler.remove(b);
  EXPECT_FALSE(scheduler.next());
  scheduler.add(a, 1);
  scheduler.activate(a);
  EXPECT_EQ(scheduler.next(), a);
}

}  // namespace
}  // namespace paceline
