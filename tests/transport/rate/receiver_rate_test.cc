// Shows that a receiver's rate falls at once, rises in steps, and rests where it fits.
#include "transport/rate/receiver_rate.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace paceline::receiver_rate_test {
namespace {

using namespace std::chrono_literals;
using qvid::ByteCount;
using qvid::DataRate;
using qvid::Duration;
using qvid::Timestamp;
using Reading = DeliveryMeter::Reading;

constexpr auto kHighest = DataRate::from_kbps(2500);
DataRate kbps(std::int64_t n) { return DataRate::from_kbps(n); }
Timestamp at(Duration d) { return Timestamp(1h) + d; }

// What a path of `capacity` shows of a video that has `rate`.
Reading reading(DataRate rate, DataRate capacity) {
  const double busy = static_cast<double>(rate.bps()) / static_cast<double>(capacity.bps());
  return {.rate = std::min(rate, capacity),
          .busy = std::min(1.0, busy),
          .capacity = capacity,
          .lost = busy > 1.2 ? 3 : 0,
          .offered = {}};
}

struct Follower {
  ReceiverRate receiver{kHighest};
  Timestamp now = at(0s);
  void step(DataRate capacity) {
    const Reading r = reading(receiver.rate(), capacity);
    receiver.on_reading(r, r, now);
    now += ReceiverRate::kInterval;
  }
  void run(DataRate capacity, Duration time) {
    for (const Timestamp end = now + time; now < end;) step(capacity);
  }
};

TEST(ReceiverRate, BeginsLowAndHasAFastPathWithinASecond) {
  Follower f;
  EXPECT_EQ(f.receiver.rate(), ReceiverRate::kBegin);
  f.run(kbps(16'000), 1s);
  EXPECT_EQ(f.receiver.rate(), kHighest);
  EXPECT_EQ(ReceiverRate(kbps(200)).rate(), kbps(200));
}

TEST(ReceiverRate, FallsAtOnce) {
  Follower f;
  f.step(kbps(600));
  EXPECT_EQ(f.receiver.rate(), kbps(510));
}

// The transport's word needs no unit to be late first, and holds as long as what is measured.
TEST(ReceiverRate, FallsAtOnceWhereThePathIsSaidToBeSlower) {
  Follower f;
  f.receiver.on_told({kbps(600)}, f.now);
  EXPECT_EQ(f.receiver.rate(), kbps(510));
  f.receiver.on_told({kbps(800)}, f.now);
  EXPECT_EQ(f.receiver.rate(), kbps(510));
  for (int i = 0; i < 3; ++i) f.step(kbps(4000));
  EXPECT_EQ(f.receiver.rate(), kbps(510));
  f.run(kbps(4000), 1500ms);
  EXPECT_EQ(f.receiver.rate(), kHighest);
}

// Beside a competitor everything is late. What the transport lets through is offered all the same,
// up and down, for as long as it says so.
TEST(ReceiverRate, TakesItsShareWhateverIsMeasured) {
  Follower f;
  const auto share = [&](int rate) {
    f.receiver.on_told({kbps(rate), PathRate::Reason::kShare}, f.now);
    return f.receiver.rate();
  };
  EXPECT_EQ(share(1000), kbps(950));
  for (int i = 0; i < 2; ++i) f.step(kbps(300));
  EXPECT_EQ(f.receiver.rate(), kbps(950));
  EXPECT_EQ(share(2000), kbps(1900));
  EXPECT_EQ(share(400), kbps(380));
  EXPECT_EQ(share(10), ReceiverRate::kLowest);
  EXPECT_EQ(share(100'000), kHighest);
  f.run(kbps(300), 1s);  // it says no more
  EXPECT_LT(f.receiver.rate(), kbps(300));
}

// An encoder follows a rise within half a second: what it offers until then is no proof of room.
TEST(ReceiverRate, RisesNoFurtherThanTheCapacitySeen) {
  Follower f;
  f.run(kbps(300), 1s);
  const Reading behind{
      .rate = kbps(90), .busy = 0.3, .capacity = kbps(300), .lost = 0, .offered = {}};
  for (int i = 0; i < 20; ++i) {
    f.receiver.on_reading(behind, behind, f.now);
    f.now += ReceiverRate::kInterval;
  }
  EXPECT_EQ(f.receiver.rate(), kbps(276));
}

TEST(ReceiverRate, IsContendedForAWhileAfterTheLastWordOfAShare) {
  Follower f;
  EXPECT_FALSE(f.receiver.contended(f.now));
  f.receiver.on_told({kbps(900)}, f.now);
  EXPECT_FALSE(f.receiver.contended(f.now)) << "slower, but alone";
  f.receiver.on_told({kbps(900), PathRate::Reason::kShare}, f.now);
  EXPECT_TRUE(f.receiver.contended(f.now + 4s));
  EXPECT_FALSE(f.receiver.contended(f.now + 5s));
}

TEST(ReceiverRate, OfWhoWantsNoMoreIsThatAndNobodyIsContended) {
  Follower f;
  f.receiver.on_told({kbps(500), PathRate::Reason::kLimit}, f.now);
  EXPECT_EQ(f.receiver.rate(), kbps(425));
  for (int i = 0; i < 2; ++i) f.step(kbps(4000));
  EXPECT_EQ(f.receiver.rate(), kbps(425));
  EXPECT_FALSE(f.receiver.contended(f.now));
}

// All that was late or lost in an outage says nothing of what the path carries when it is back.
TEST(ReceiverRate, AfterAnOutageItIsWhatItWas) {
  Follower f;
  f.run(kbps(1500), 20s);
  const DataRate before = f.receiver.rate();
  EXPECT_GT(before, kbps(1000));
  f.run(kbps(30), 3s);
  EXPECT_EQ(f.receiver.rate(), ReceiverRate::kLowest);
  f.receiver.on_told({{}, PathRate::Reason::kRestored}, f.now);
  EXPECT_EQ(f.receiver.rate(), before);
  f.run(kbps(300), 2s);  // it is another path now
  EXPECT_LT(f.receiver.rate(), kbps(300));
  ReceiverRate fresh;
  fresh.on_told({{}, PathRate::Reason::kRestored}, f.now);
  EXPECT_EQ(fresh.rate(), DataRate());
}

TEST(ReceiverRate, RestsWhereItFits) {
  Follower f;
  f.run(kbps(600), 1s);
  const DataRate rate = f.receiver.rate();
  f.run(kbps(600), 60s);
  EXPECT_EQ(f.receiver.rate(), rate);
}

TEST(ReceiverRate, IsUpAgainWithinTwoSeconds) {
  Follower f;
  f.run(kbps(600), 15s);
  f.step(kbps(4000));
  EXPECT_LT(f.receiver.rate(), kbps(700));  // in steps
  f.run(kbps(4000), 1500ms);
  EXPECT_EQ(f.receiver.rate(), kHighest);
}

TEST(ReceiverRate, WaitsAfterALoss) {
  Follower f;
  f.step(kbps(600));
  const DataRate rate = f.receiver.rate();
  f.run(kbps(4000), ReceiverRate::kHold - ReceiverRate::kInterval);
  EXPECT_EQ(f.receiver.rate(), rate);
  f.step(kbps(4000));
  EXPECT_GT(f.receiver.rate(), rate);
}

TEST(ReceiverRate, APathThatHasStoppedHalvesItDownToTheLowest) {
  ReceiverRate receiver(kHighest);
  const Reading stopped{.rate = {}, .busy = 1, .capacity = {}, .lost = 0, .offered = {}};
  receiver.on_reading(stopped, stopped, at(0s));
  EXPECT_EQ(receiver.rate().bps(), ReceiverRate::kBegin.bps() / 2);
  for (int i = 1; i < 30; ++i) receiver.on_reading(stopped, stopped, at(i * 100ms));
  EXPECT_EQ(receiver.rate(), ReceiverRate::kLowest);
}

TEST(ReceiverRate, NothingSentIsNoReasonToRise) {
  Follower f;
  f.run(kbps(600), 1s);
  const DataRate rate = f.receiver.rate();
  const Reading nothing{};
  for (int i = 0; i < 100; ++i) f.receiver.on_reading(nothing, nothing, at(1h));
  EXPECT_EQ(f.receiver.rate(), rate);
}

// What a path of `capacity` shows of a stream that others make, at `rate`.
Reading passed_on(DataRate rate, DataRate capacity) {
  Reading r = reading(rate, capacity);
  r.offered = rate.bytes_in(DeliveryMeter::kMemory);
  return r;
}

TEST(ReceiverRate, OfWhatOthersMakeIsKnownFromWhatIsSent) {
  ReceiverRate rate;
  EXPECT_EQ(rate.rate(), DataRate());
  const Reading sent = passed_on(kbps(1000), kbps(16'000));
  rate.on_reading(sent, sent, at(0s));
  EXPECT_EQ(rate.rate(), kbps(1250));
  for (int i = 1; i < 30; ++i) rate.on_reading(sent, sent, at(i * 100ms));
  EXPECT_EQ(rate.rate(), kbps(2000));
  // A picture that stands still is no path that carries less.
  const Reading still = passed_on(kbps(50), kbps(16'000));
  rate.on_reading(still, still, at(5s));
  EXPECT_EQ(rate.rate(), kbps(2000));
  const Reading late = passed_on(kbps(1000), kbps(400));
  rate.on_reading(late, late, at(6s));
  EXPECT_EQ(rate.rate(), kbps(340));
}

TEST(ReceiverRate, OfWhatOthersMakeALittleTellsNothing) {
  ReceiverRate rate;
  Reading little = passed_on(kbps(15), kbps(16'000));
  rate.on_reading(little, little, at(0s));
  EXPECT_EQ(rate.rate(), DataRate());
  const Reading words = passed_on(kbps(32), kbps(16'000));
  rate.on_reading(words, words, at(1s));
  const DataRate said = rate.rate();
  EXPECT_EQ(said, ReceiverRate::kBegin);
  little.lost = 1;
  little.busy = 1;
  for (int i = 0; i < 10; ++i) rate.on_reading(little, little, at(2s + i * 100ms));
  EXPECT_EQ(rate.rate(), said);
}

// After trouble a still picture, which needs nothing of the path, does not keep it small.
TEST(ReceiverRate, OfWhatOthersMakeAStillPictureFindsTheBeginAgain) {
  ReceiverRate rate;
  const Reading late = passed_on(kbps(200), kbps(100));
  rate.on_reading(late, late, at(0s));
  EXPECT_EQ(rate.rate(), kbps(85));
  const Reading still = passed_on(kbps(20), kbps(16'000));
  for (int i = 0; i < 30; ++i) rate.on_reading(still, still, at(1s + i * 100ms));
  EXPECT_EQ(rate.rate(), ReceiverRate::kBegin);
}

TEST(ReceiverRate, OfWhatOthersMakeThePathsWordIsKnownBeforeAnythingIsMeasured) {
  ReceiverRate rate;
  rate.on_told({kbps(600)}, at(0s));
  EXPECT_EQ(rate.rate(), kbps(510));
}

}  // namespace
}  // namespace paceline::receiver_rate_test
