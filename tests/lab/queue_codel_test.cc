// CoDel against RFC 8289: when it begins, the control law, when it ends, and how it begins again.
#include "lab/emulator/codel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/lab/ip_packets.h"

namespace qvid::lab::queue_codel_test {
namespace {

constexpr Timestamp kStart{1000s};

// One packet in and one out each millisecond, behind `backlog` that came before: the times of drops
// or marks.
class Standing {
 public:
  Standing(int backlog, Ecn ecn) : ecn_(ecn) {
    for (int i = 0; i < backlog; ++i) push();
  }

  void run(Duration time) {
    for (const Timestamp end = now_ + time; now_ < end;) {
      now_ += 1ms;
      push();
      const std::uint64_t before = codel_.dropped() + codel_.marked();
      codel_.pop(now_);
      for (auto n = codel_.dropped() + codel_.marked(); n > before; --n) times_.push_back(now_);
    }
  }
  void drain() {
    while (codel_.pop(now_)) {
    }
    times_.clear();
  }
  void push() { codel_.push(ip_packet({.ecn = ecn_}, now_), now_); }

  Codel& codel() { return codel_; }
  Timestamp now() const { return now_; }
  const std::vector<Timestamp>& times() const { return times_; }

 private:
  Ecn ecn_;
  Codel codel_{10'000'000_B};
  Timestamp now_ = kStart;
  std::vector<Timestamp> times_;
};

Timestamp next_millisecond(double ms) {
  return kStart + Duration(1ms) * static_cast<std::int64_t>(std::ceil(ms - 1e-6));
}

TEST(QueueCodel, ShortWaitsAreLeftAlone) {
  Standing queue(4, Ecn::kNotCapable);  // each waits 4 ms
  queue.run(10s);
  EXPECT_TRUE(queue.times().empty());
}

TEST(QueueCodel, DropsComeAfterAnIntervalAndThenByTheControlLaw) {
  Standing queue(300, Ecn::kNotCapable);
  queue.run(1500ms);
  // The first that waited for 5 ms leaves at 5 ms; an interval later the first is dropped.
  std::vector<Timestamp> expected;
  double at = 5 + 100;
  for (int n = 1; at <= 1500; ++n) {
    expected.push_back(next_millisecond(at));
    at += 100 / std::sqrt(n);
  }
  EXPECT_GT(expected.size(), 40u);
  EXPECT_EQ(queue.times(), expected);
  EXPECT_EQ(queue.codel().marked(), 0u);
}

TEST(QueueCodel, MarksByTheSameLawWhatCanBeMarked) {
  Standing dropped(300, Ecn::kNotCapable);
  Standing marked(300, Ecn::kCapable0);
  dropped.run(1500ms);
  marked.run(1500ms);
  EXPECT_EQ(marked.times(), dropped.times());
  EXPECT_EQ(marked.codel().dropped(), 0u);
  EXPECT_EQ(marked.codel().bytes(), 300'000_B) << "nothing left but what was sent";
}

TEST(QueueCodel, APacketThatIsMarkedIsSent) {
  Standing queue(300, Ecn::kCapable1);
  queue.run(104ms);
  queue.push();
  const auto packet = queue.codel().pop(kStart + 105ms);
  ASSERT_TRUE(packet);
  EXPECT_EQ(ecn_of(packet->bytes), Ecn::kCongestion);
  EXPECT_EQ(header_sum(packet->bytes), 0xffffu);
}

TEST(QueueCodel, ABadTimeEndsWithTheWaitAndTheNextBeginsWhereItsRateWas) {
  Standing queue(300, Ecn::kNotCapable);
  queue.run(1000ms);
  const auto drops = static_cast<double>(queue.times().size());
  EXPECT_GT(drops, 20);
  queue.drain();
  for (int i = 0; i < 300; ++i) queue.push();
  const Timestamp again = queue.now();
  queue.run(300ms);
  ASSERT_GE(queue.times().size(), 2u);
  EXPECT_EQ(queue.times()[0], again + 105ms);
  // count = drops - 1: count was `drops`, and 1 when the bad time began.
  const double gap = std::ceil(100 / std::sqrt(drops - 1));
  EXPECT_EQ(queue.times()[1], again + 105ms + Duration(1ms) * static_cast<std::int64_t>(gap));
}

TEST(QueueCodel, AfterALongGoodTimeItBeginsAnew) {
  Standing queue(300, Ecn::kNotCapable);
  queue.run(1000ms);
  queue.drain();
  queue.run(2s);  // 16 intervals and more
  EXPECT_TRUE(queue.times().empty());
  for (int i = 0; i < 300; ++i) queue.push();
  const Timestamp again = queue.now();
  queue.run(250ms);
  const std::vector<Timestamp> expected{again + 105ms, again + 205ms};
  EXPECT_EQ(queue.times(), expected);
}

TEST(QueueCodel, TheLastPacketOfASlowLinkIsNeverDropped) {
  Codel codel(10'000_B);
  for (int i = 0; i < 100; ++i) {
    const Timestamp now = kStart + i * 1s;
    codel.push(ip_packet({.size = 1500}, now), now);
    codel.push(ip_packet({.size = 1500}, now), now);
    EXPECT_TRUE(codel.pop(now + 500ms));
    EXPECT_TRUE(codel.pop(now + 900ms));
    EXPECT_FALSE(codel.pop(now + 950ms));
  }
  EXPECT_EQ(codel.dropped(), 0u);
}

TEST(QueueCodel, AFullQueueDropsWhatComes) {
  Codel codel(10'000_B);
  for (int i = 0; i < 20; ++i) codel.push(ip_packet({.ecn = Ecn::kCapable0}, kStart), kStart);
  EXPECT_EQ(codel.bytes(), 10'000_B);
  EXPECT_EQ(codel.dropped(), 10u);
  EXPECT_EQ(codel.marked(), 0u);
}

}  // namespace
}  // namespace qvid::lab::queue_codel_test
