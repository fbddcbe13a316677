// The small parts of datagrams: ranges, windows, frames, what was sent.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "transport/datagram/byte_ranges.h"
#include "transport/datagram/datagram_frame.h"
#include "transport/datagram/fragment_assembly.h"
#include "transport/datagram/packet_window.h"
#include "transport/datagram/sent_datagrams.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using Bytes = std::vector<std::byte>;
using Range = ByteRanges::Range;

TEST(ByteRanges, CountEachByteOnce) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    ByteRanges ranges;
    std::set<std::size_t> all;
    for (int i = 0; i < 30; ++i) {
      const std::size_t begin = random() % 100;
      const std::size_t end = begin + random() % 20;
      std::size_t fresh = 0;
      for (std::size_t b = begin; b < end; ++b) fresh += all.insert(b).second ? 1 : 0;
      ASSERT_EQ(ranges.add(begin, end), fresh);
      ASSERT_EQ(ranges.bytes(), all.size());
      const Range missing = ranges.missing(10, 90);
      for (std::size_t b = 10; b < missing.begin; ++b) ASSERT_TRUE(all.contains(b));
      for (std::size_t b = missing.begin; b < missing.end; ++b) ASSERT_FALSE(all.contains(b));
      ASSERT_TRUE(missing.end == 90 || missing.begin == missing.end || all.contains(missing.end));
    }
  }
}

TEST(ByteRanges, HasABound) {
  ByteRanges ranges;
  for (std::size_t i = 0; i < 2 * ByteRanges::kMost; ++i) ranges.add(2 * i, 2 * i + 1);
  EXPECT_EQ(ranges.bytes(), ByteRanges::kMost);
  EXPECT_EQ(ranges.add(1, 2), 1u);  // joins two
  EXPECT_EQ(ranges.add(1000, 1001), 1u);
}

TEST(PacketWindow, TakesEachOnceAndTellsTheNewest) {
  PacketWindow window;
  for (const std::uint64_t n : {0u, 1u, 2u, 5u, 6u, 9u}) EXPECT_TRUE(window.take(n));
  for (const std::uint64_t n : {0u, 5u, 9u}) EXPECT_FALSE(window.take(n));
  const DatagramAck ack = window.ack();
  ASSERT_EQ(ack.count, 3u);
  EXPECT_EQ(ack.ranges[0], (DatagramAck::Range{9, 9}));
  EXPECT_EQ(ack.ranges[1], (DatagramAck::Range{5, 6}));
  EXPECT_EQ(ack.ranges[2], (DatagramAck::Range{0, 2}));
  EXPECT_TRUE(window.take(9 + PacketWindow::kSize));
  EXPECT_FALSE(window.take(8));  // too far behind to tell
  EXPECT_TRUE(window.take(10));
}

TEST(DatagramFrames, AreReadAsTheyWereWritten) {
  DatagramAck ack;
  ack.ranges = {DatagramAck::Range{90, 100}, DatagramAck::Range{80, 80}, DatagramAck::Range{0, 3}};
  ack.count = 3;
  const Bytes content(30, std::byte{9});
  Bytes out;
  write_frame(ack, out);
  write_frame(Fragment{77, StreamId(3), Importance(200), Position(1'000'000), 1000, 970, content},
              out);
  write_frame(Parity{.first = 78, .mask = 0x80000003, .length = 700, .bytes = content}, out);
  write_frame(DatagramRestored{99}, out);
  write_frame(PathChallenge{0x123456789abcdef0}, out);
  write_frame(PathResponse{1}, out);
  write_frame(DatagramPing{}, out);
  out.resize(out.size() + 40);  // padding
  FrameReader reader(out);
  const auto read_ack = std::get<DatagramAck>(reader.next());
  ASSERT_EQ(read_ack.count, 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(read_ack.ranges[i], ack.ranges[i]);
  const auto fragment = std::get<Fragment>(reader.next());
  EXPECT_EQ(fragment.number, 77u);
  EXPECT_EQ(fragment.stream, StreamId(3));
  EXPECT_EQ(fragment.offset, 970u);
  EXPECT_TRUE(std::ranges::equal(fragment.bytes, content));
  const auto parity = std::get<Parity>(reader.next());
  EXPECT_EQ(parity.first, 78u);
  EXPECT_EQ(parity.mask, 0x80000003);
  EXPECT_EQ(parity.length, 700u);
  EXPECT_TRUE(std::ranges::equal(parity.bytes, content));
  EXPECT_EQ(std::get<DatagramRestored>(reader.next()).number, 99u);
  EXPECT_EQ(std::get<PathChallenge>(reader.next()).token, 0x123456789abcdef0);
  EXPECT_EQ(std::get<PathResponse>(reader.next()).token, 1u);
  EXPECT_TRUE(std::holds_alternative<DatagramPing>(reader.next()));
  EXPECT_TRUE(std::holds_alternative<DatagramEnd>(reader.next()));
}

// A picture's header and its unit, and a part of something else before them.
TEST(DatagramFrames, ShortOnesSayWhatDoesNotFollow) {
  const Bytes header(30, std::byte{1});
  const Bytes unit(400, std::byte{2});
  const std::array<Fragment, 3> all = {
      Fragment{9, StreamId(2), Importance(200), Position(7), 1000, 970, header},
      Fragment{20'000, StreamId(1), Importance(250), Position(32'000), 30, 0, header},
      Fragment{20'001, StreamId(1), Importance(248), Position(32'001), 400, 0, unit}};
  Bytes longer;
  Bytes shorter;
  for (std::size_t i = 0; i < all.size(); ++i) {
    write_frame(all[i], longer);
    write_short(all[i], i > 0 ? &all[i - 1] : nullptr, i + 1 == all.size(), shorter);
  }
  EXPECT_EQ(longer.size() - shorter.size(), 15u);
  FrameReader reader(shorter);
  for (const Fragment& f : all) {
    const auto read = std::get<Fragment>(reader.next());
    EXPECT_EQ(read.number, f.number);
    EXPECT_EQ(read.stream, f.stream);
    EXPECT_EQ(read.importance, f.importance);
    EXPECT_EQ(read.position, f.position);
    EXPECT_EQ(read.size, f.size);
    EXPECT_EQ(read.offset, f.offset);
    EXPECT_TRUE(std::ranges::equal(read.bytes, f.bytes));
  }
  EXPECT_TRUE(std::holds_alternative<DatagramEnd>(reader.next()));
}

TEST(DatagramFrames, NothingFollowsTheLastNumberOrPosition) {
  const Bytes content(1, std::byte{1});
  for (const bool number : {true, false}) {
    Bytes out;
    const Fragment last{number ? qvid::kVarintMax : 1,
                        StreamId(1),
                        Importance(1),
                        Position(number ? 1 : qvid::kVarintMax),
                        1,
                        0,
                        content};
    write_frame(last, out);
    for (const int byte : {0x0f, 1, 1, 9}) out.push_back(static_cast<std::byte>(byte));
    FrameReader reader(out);
    EXPECT_TRUE(std::holds_alternative<Fragment>(reader.next()));
    EXPECT_TRUE(std::holds_alternative<DatagramWrong>(reader.next()));
  }
}

TEST(DatagramFrames, WhatIsNoFrameIsWrong) {
  const auto wrong = [](std::initializer_list<int> bytes) {
    Bytes all;
    for (const int b : bytes) all.push_back(static_cast<std::byte>(b));
    FrameReader reader(all);
    return std::holds_alternative<DatagramWrong>(reader.next());
  };
  EXPECT_TRUE(wrong({0x20}));                              // unknown
  EXPECT_TRUE(wrong({0x08}));                              // cut off
  EXPECT_TRUE(wrong({0x0f, 1, 1, 1}));                     // behind none
  EXPECT_TRUE(wrong({0x0c, 1, 1, 1, 1, 10, 8, 1, 1, 1}));  // beyond its message
  EXPECT_FALSE(wrong({0x0d, 1, 1, 1, 1, 9, 9}));
  EXPECT_TRUE(wrong({0x06, 9, 3, 0, 9, 2, 1}));               // a parity that is cut off
  EXPECT_TRUE(wrong({0x06, 9, 1, 0, 9, 1, 1}));               // of one
  EXPECT_TRUE(wrong({0x06, 9, 6, 0, 9, 1, 1}));               // of another first
  EXPECT_TRUE(wrong({0x06, 9, 3, 0, 9, 0}));                  // without bytes
  EXPECT_TRUE(wrong({0x07}));                                 // cut off
  EXPECT_TRUE(wrong({0x02, 5, 0, 6}));                        // below zero
  EXPECT_TRUE(wrong({0x02, 5, 1, 0, 4, 0}));                  // the second one
  EXPECT_TRUE(wrong({0x02, 5, 32, 0}));                       // too many
  EXPECT_TRUE(wrong({0x04, 1, 2}));                           // cut off
  EXPECT_TRUE(wrong({0x03, 1, 1, 1, 1, 10, 8, 3, 1, 1, 1}));  // beyond its message
  EXPECT_TRUE(wrong({0x03, 1, 1, 1, 1, 10, 0, 0}));           // empty
  EXPECT_FALSE(wrong({0x03, 1, 1, 1, 1, 10, 8, 2, 1, 1}));
}

Fragment fragment(std::uint64_t number, std::size_t size, std::size_t begin, const Bytes& bytes) {
  return {number, StreamId(1), Importance(1), Position(1), size, begin, bytes};
}

TEST(FragmentAssembly, PutsTogetherWhatComesInAnyOrderAndTwice) {
  FragmentAssembly assembly;
  const Bytes a(10, std::byte{1});
  const Bytes b(10, std::byte{2});
  EXPECT_FALSE((*assembly.on_fragment(fragment(1, 20, 10, b))).has_value());
  EXPECT_FALSE((*assembly.on_fragment(fragment(1, 20, 10, b))).has_value());
  EXPECT_FALSE(assembly.on_fragment(fragment(1, 30, 10, b)));  // another size
  const auto whole = *assembly.on_fragment(fragment(1, 20, 0, a));
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->bytes.bytes()[9], std::byte{1});
  EXPECT_EQ(whole->bytes.bytes()[10], std::byte{2});
  EXPECT_FALSE((*assembly.on_fragment(fragment(1, 20, 0, a))).has_value()) << "it was whole before";
  EXPECT_EQ(assembly.messages(), 0u);
  EXPECT_EQ(assembly.bytes(), ByteCount());
}

TEST(FragmentAssembly, TheOldestGoesWhereThereIsNoRoom) {
  FragmentAssembly assembly;
  assembly.hold_at_most(ByteCount(5000));
  const Bytes part(1, std::byte{1});
  for (std::uint64_t n = 10; n < 20; ++n) {
    EXPECT_FALSE((*assembly.on_fragment(fragment(n, 1000, 0, part))).has_value());
  }
  EXPECT_EQ(assembly.messages(), 5u);
  EXPECT_FALSE((*assembly.on_fragment(fragment(3, 1000, 0, part))).has_value());
  EXPECT_FALSE((*assembly.on_fragment(fragment(30, 6000, 0, part))).has_value());
  EXPECT_EQ(assembly.bytes(), ByteCount(5000));
}

struct SentTest : testing::Test {
  void send(std::uint64_t message) {
    SentDatagrams::Datagram d{.at = now, .asks = true, .size = 100, .content = ByteCount(10)};
    d.pieces[d.count++] = {.message = message, .begin = 0, .end = 1};
    sent.on_sent(d);
  }
  std::vector<std::uint64_t> ack(std::uint64_t first, std::uint64_t last) {
    DatagramAck a;
    a.ranges[0] = {first, last};
    a.count = 1;
    std::vector<std::uint64_t> arrived;
    last_ack = sent.on_ack(a, now, [&](const auto& d) { arrived.push_back(d.pieces[0].message); });
    sent.find_lost(now, [&](const auto& d) { lost.push_back(d.pieces[0].message); });
    return arrived;
  }
  SentDatagrams sent;
  Timestamp now{std::chrono::seconds(1)};
  std::optional<SentDatagrams::Acked> last_ack;
  std::vector<std::uint64_t> lost;
};

TEST_F(SentTest, ContentLeavesTheWayOnceWhateverBecomesOfIt) {
  for (std::uint64_t i = 0; i < 10; ++i) send(i);
  EXPECT_EQ(sent.content_under_way(), ByteCount(100));
  ack(5, 5);  // the first three are lost by that
  EXPECT_EQ(lost.size(), 3u);
  EXPECT_EQ(sent.content_under_way(), ByteCount(60));
  ack(0, 0);  // after all
  EXPECT_TRUE(sent.on_restored(1));
  EXPECT_EQ(sent.content_under_way(), ByteCount(60));
  EXPECT_TRUE(sent.on_restored(9));
  EXPECT_EQ(sent.content_under_way(), ByteCount(50));
  sent.give_up();
  EXPECT_EQ(sent.content_under_way(), ByteCount());
  ack(6, 8);
  EXPECT_EQ(sent.content_under_way(), ByteCount());
}

// One lost question, silence, and then a burst that has not had the time for an answer.
TEST_F(SentTest, APathFailsATimeOutBehindItsFifthDatagram) {
  send(0);
  now += 100ms;
  ack(0, 0);
  send(1);
  for (int probe = 0; probe < 3; ++probe) {
    now = sent.probe_at();
    sent.on_probe();
  }
  EXPECT_EQ(sent.fails_at(), qvid::kNever);
  for (std::uint64_t i = 0; i < 8; ++i) send(i);
  EXPECT_EQ(sent.fails_at(), now + sent.probe_timeout());
  now += 100ms;
  ack(3, 3);
  EXPECT_GT(sent.fails_at(), now + 100ms);
}

TEST_F(SentTest, ThreeBehindAreLostAndALateOneWidensTheReordering) {
  for (std::uint64_t i = 0; i < 10; ++i) send(i);
  now += 20ms;
  EXPECT_EQ(ack(1, 2).size(), 2u);
  EXPECT_TRUE(lost.empty());
  EXPECT_EQ(last_ack->rtt, Duration(20ms));
  ack(1, 3);
  EXPECT_EQ(lost, std::vector<std::uint64_t>{0});
  EXPECT_EQ(ack(0, 3), std::vector<std::uint64_t>{0});  // after all
  lost.clear();
  ack(7, 7);
  EXPECT_TRUE(lost.empty());  // 4 of them may still come: 0 came when 3 others had
  ack(8, 8);
  EXPECT_EQ(lost, std::vector<std::uint64_t>{4});
}

TEST_F(SentTest, WhatIsBehindForNineEighthsIsLost) {
  send(0);
  send(1);
  now += 80ms;
  ack(1, 1);
  EXPECT_TRUE(lost.empty());
  EXPECT_EQ(sent.lost_at(), now + 10ms);
  now += 10ms;
  sent.find_lost(now, [&](const auto& d) { lost.push_back(d.pieces[0].message); });
  EXPECT_EQ(lost, std::vector<std::uint64_t>{0});
  EXPECT_FALSE(sent.any_under_way());
}

TEST_F(SentTest, WhatIsRestoredCountsOnce) {
  for (std::uint64_t i = 0; i < 6; ++i) send(i);
  EXPECT_EQ(sent.on_restored(1)->count, 1u);
  EXPECT_FALSE(sent.on_restored(1)) << "said again";
  EXPECT_EQ(ack(4, 5).size(), 2u);
  EXPECT_EQ(lost, (std::vector<std::uint64_t>{0, 1, 2}))
      << "that it is restored says nothing of that";
  EXPECT_EQ(sent.on_restored(2)->count, 1u);
  EXPECT_EQ(ack(1, 2).size(), 2u) << "they come after all";
  EXPECT_FALSE(sent.on_restored(2)) << "it has come";
  sent.give_up();
  EXPECT_FALSE(sent.on_restored(3)) << "it is given up";
  EXPECT_TRUE(sent.never_sent(6));
  sent.skip();
  EXPECT_TRUE(sent.never_sent(6));
}

// Who only says so, and acknowledges nothing, is a path that has failed.
TEST_F(SentTest, WhatIsOnlyRestoredIsUnanswered) {
  for (std::uint64_t i = 0; i < 6; ++i) {
    send(i);
    sent.on_restored(i);
  }
  EXPECT_EQ(sent.under_way(), ByteCount());
  EXPECT_LE(sent.fails_at(), now + 2 * sent.probe_timeout());
}

// Jitter that overtakes: what a parity restores is late, and no loss.
TEST_F(SentTest, WhatIsRestoredAndComesAfterAllWasNotLost) {
  for (std::uint64_t i = 0; i < 3; ++i) send(i);
  ack(2, 2);
  EXPECT_EQ(sent.on_restored(1)->count, 1u);
  ack(0, 2);
  EXPECT_TRUE(lost.empty());
  EXPECT_EQ(sent.under_way(), ByteCount());
}

// 9/8 of a round trip are over before the late one comes: the next time it is waited for.
TEST_F(SentTest, ALateOneIsWaitedForTheNextTime) {
  for (std::uint64_t i = 0; i < 2; ++i) send(i);
  now += 60ms;
  ack(1, 1);
  now += 10ms;
  ack(1, 1);
  EXPECT_EQ(lost, std::vector<std::uint64_t>{0});
  now += 10ms;
  ack(0, 1);  // after 80 ms
  lost.clear();
  for (std::uint64_t i = 2; i < 4; ++i) send(i);
  now += 60ms;
  ack(3, 3);
  EXPECT_EQ(sent.lost_at(), now + 30ms);
  for (std::uint64_t i = 4; i < 200; i += 4) {  // what is lost from then on never comes
    for (std::uint64_t j = i; j < i + 4; ++j) send(j);
    now += 60ms;
    ack(i + 3, i + 3);
  }
  EXPECT_LE(sent.lost_at(), now + 8ms);
}

TEST_F(SentTest, UnderWayIsWhatMayStillArrive) {
  for (std::uint64_t i = 0; i < 8; ++i) send(i);
  sent.on_sent({.at = now, .size = 40});  // asks for nothing
  EXPECT_EQ(sent.under_way(), ByteCount(800));
  ack(4, 5);
  EXPECT_EQ(lost.size(), 3u);
  EXPECT_EQ(sent.under_way(), ByteCount(300));
  sent.on_restored(1);  // it was taken for lost
  sent.on_restored(3);
  EXPECT_EQ(sent.under_way(), ByteCount(200));
  EXPECT_EQ(ack(0, 0).size(), 1u) << "after all";
  EXPECT_EQ(sent.under_way(), ByteCount(200));
  sent.give_up();
  EXPECT_EQ(sent.under_way(), ByteCount());
}

TEST_F(SentTest, WhoAcknowledgesWhatWasNotSentIsNotBelieved) {
  send(0);
  sent.skip();
  send(1);
  ack(0, 2);
  EXPECT_FALSE(last_ack);
  ack(3, 3);
  EXPECT_FALSE(last_ack);
  ack(2, 2);
  EXPECT_TRUE(last_ack);
}

TEST_F(SentTest, NothingThatIsSettledIsKept) {
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    if (i % 3 == 0) {
      sent.on_sent({.at = now});  // asks for nothing
    } else {
      send(i);
    }
    if (i % 100 == 99) ack(i - 60, i);
    ASSERT_FALSE(sent.full());
  }
}

}  // namespace
}  // namespace paceline
