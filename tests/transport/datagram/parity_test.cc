// What one of several datagrams brought is there by their parity, without a repair.
#include "transport/datagram/parity.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/transport/datagram/by_datagrams.h"
#include "transport/datagram/datagram_path.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;
using Bytes = std::vector<std::byte>;

constexpr Timestamp kNow{std::chrono::seconds(1)};

struct Sent {
  std::uint64_t number;
  Bytes frames;
};

TEST(Parity, GivesBackTheOneThatDidNotCome) {
  std::mt19937 random(1);
  int restored = 0;
  for (int round = 0; round < 500; ++round) {
    ParityMaker maker;
    std::vector<Sent> sent;
    std::uint64_t number = 1000 + random() % 100;
    for (std::size_t i = 0, count = 2 + random() % 11; i < count; ++i) {
      Bytes frames(1 + random() % 300);
      for (std::byte& b : frames) b = static_cast<std::byte>(random());
      maker.add(number, frames, kNow);
      sent.push_back({number, std::move(frames)});
      number += 1 + random() % 3;  // acknowledgements between them are not covered
    }
    if (maker.covered() < sent.size()) continue;  // begun anew: they were too far apart
    ParityTaker taker;
    PacketWindow came;
    (void)taker.on_parity({.first = 1, .mask = 3, .length = 0, .bytes = sent[0].frames}, came,
                          kNow);
    const std::size_t lost = random() % (sent.size() + 1);  // behind the last: none
    const std::size_t also = round % 5 == 0 ? random() % sent.size() : lost;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      if (i == lost || i == also) continue;
      came.take(sent[i].number);
      taker.on_frames(sent[i].number, sent[i].frames, kNow);
    }
    const auto got = taker.on_parity(maker.parity(), came, kNow);
    const bool one = (lost == also || lost == sent.size()) && also < sent.size();
    ASSERT_EQ(got.has_value(), one) << round;
    if (!got) continue;
    ++restored;
    EXPECT_EQ(got->number, sent[also].number);
    EXPECT_EQ(got->frames, sent[also].frames);
  }
  EXPECT_GT(restored, 200);
}

TEST(Parity, NothingIsKeptForWhoSendsNone) {
  ParityTaker taker;
  PacketWindow came;
  const Bytes frames(10, std::byte{1});
  came.take(5);
  taker.on_frames(5, frames, kNow);
  EXPECT_FALSE(taker.on_parity({.first = 5, .mask = 3, .length = 10, .bytes = frames}, came, kNow));
  came.take(7);
  taker.on_frames(7, frames, kNow);
  EXPECT_TRUE(taker.on_parity({.first = 7, .mask = 3, .length = 10, .bytes = frames}, came, kNow));
  came.take(9);
  taker.on_frames(9, frames, kNow + ParityTaker::kKeepFor);
  EXPECT_FALSE(taker.on_parity({.first = 9, .mask = 3, .length = 10, .bytes = frames}, came,
                               kNow + ParityTaker::kKeepFor));
}

// Two ends, and who is between them.
class Paths {
 public:
  // `queue`: that one in twenty is lost in, and that those around it have waited in, too.
  explicit Paths(bool parity, Duration queue = {}) {
    for (DatagramPath* p : {&client, &server}) p->use({.parity = parity, .short_fragments = true});
    client.go_to({.ip = {1}, .port = 7}, now);
    for (int i = 0; i < 8; ++i) exchange(0);
    for (std::uint64_t i = 0; i < 400; ++i) {  // 5% are lost
      add(500);
      exchange(i % 20 == 5 ? 1 : 0, i % 20 >= 1 && i % 20 < 9 ? queue : Duration());
    }
    for (int i = 0; i < 20; ++i) exchange(0);
    add(6000);  // from the first parity on what comes is kept
    exchange(0);
    messages = 0;
    datagrams = 0;
  }
  void add(std::size_t size) {
    server.outgoing().add({.number = next,
                           .id = MessageId(next),
                           .stream = StreamId(1),
                           .importance = Importance(100),
                           .position = Position(next),
                           .deadline = now + 1s,
                           .bytes = Payload::copy_of(Bytes(size, static_cast<std::byte>(next)))});
    ++next;
  }
  // The server's `lose`th datagram from now on is lost; 0: none. They take so long.
  void exchange(int lose, Duration transit = {}) {
    now += 5ms;
    int sent = 0;
    for (auto [from, to] : {std::pair(&server, &client), std::pair(&client, &server)}) {
      from->on_timer(now);
      std::vector<Bytes> all;
      Bytes one;
      while (from->produce(one, true, now)) all.push_back(one);
      if (from == &server) {
        now += 5ms;  // what goes a moment apart from them is on its way with them
        while (from->produce(one, true, now)) all.push_back(one);
        now += transit;
      }
      for (const Bytes& datagram : all) {
        if (from == &server) ++datagrams;
        if (from == &server && ++sent == lose) continue;
        news.clear();
        ASSERT_TRUE(to->receive({.ip = {1}, .port = 7}, datagram, now, news));
        ASSERT_EQ(news.wrong, nullptr);
        if (to == &client) messages += news.messages.size();
        if (to == &client && !news.messages.empty()) last = news.messages.back().bytes;
      }
    }
  }

  Timestamp now = kNow;
  DatagramPath client{SessionSecret{}, DatagramDirection::kToServer, {}};
  DatagramPath server{SessionSecret{}, DatagramDirection::kToClient, {}};
  DatagramPath::News news;
  std::uint64_t next = 1;
  std::size_t messages = 0;  // that came to the client
  Payload last;
  int datagrams = 0;  // of the server
};

TEST(Parity, WhicheverDatagramIsLostTheMessageIsThereAndIsNotSentAgain) {
  for (int lost = 1; lost <= 6; ++lost) {
    Paths paths(true);
    paths.add(6000);
    ASSERT_NO_FATAL_FAILURE(paths.exchange(lost));
    EXPECT_EQ(paths.messages, 1u) << lost;
    EXPECT_TRUE(std::ranges::equal(paths.last.bytes(),
                                   Bytes(6000, static_cast<std::byte>(paths.next - 1))));
    EXPECT_TRUE(paths.server.outgoing().empty()) << "the server knows it";
    EXPECT_EQ(paths.datagrams, 6) << "five parts of 1400 bytes and less, and a parity";
    const auto before = paths.server.datagrams_lost();
    for (int i = 0; i < 20; ++i) ASSERT_NO_FATAL_FAILURE(paths.exchange(0));
    EXPECT_EQ(paths.messages, 1u);
    EXPECT_LE(paths.server.datagrams_lost(), before + 1) << "a loss is told to the controller";
  }
}

// Else what goes beside a crowd's content would make the losses for which it goes.
TEST(Parity, TakesItsPartOfTheWindowUntilItHasArrivedOrIsLost) {
  for (const int lost : {0, 2, 6}) {  // the last is the parity
    Paths paths(true);
    ASSERT_EQ(paths.server.content_under_way(), ByteCount());
    paths.add(6000);
    Bytes one;
    ByteCount written;
    ByteCount again;
    std::vector<Bytes> all;
    while (const auto part = paths.server.produce(one, true, paths.now)) {
      written += part->content;
      again += part->again;
      all.push_back(one);
    }
    ASSERT_EQ(all.size(), 6u);
    EXPECT_GT(written, ByteCount(6000 + 1200));
    EXPECT_EQ(again, written - ByteCount(6000));
    EXPECT_EQ(paths.server.content_under_way(), written);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (static_cast<int>(i) + 1 == lost) continue;
      paths.news.clear();
      ASSERT_TRUE(paths.client.receive({.ip = {1}, .port = 7}, all[i], paths.now, paths.news));
    }
    ASSERT_NO_FATAL_FAILURE(paths.exchange(0));
    EXPECT_EQ(paths.server.content_under_way(),
              lost == 6 ? written - ByteCount(6000) : ByteCount());
    for (int i = 0; i < 20; ++i) ASSERT_NO_FATAL_FAILURE(paths.exchange(0));
    EXPECT_EQ(paths.server.content_under_way(), ByteCount());
  }
}

// In a queue that is full it would be lost with the last of them.
TEST(Parity, GoesAMomentBehindWhatItCovers) {
  Paths paths(true);
  paths.server.protect(DatagramPath::Protection::kAll);
  for (int i = 0; i < 60; ++i) {
    paths.add(500);
    ASSERT_NO_FATAL_FAILURE(paths.exchange(0, 100ms));
  }
  paths.add(6000);
  Bytes one;
  const auto produce = [&] {
    int count = 0;
    while (paths.server.produce(one, true, paths.now)) ++count;
    return count;
  };
  EXPECT_EQ(produce(), 5);
  EXPECT_EQ(paths.server.next_timer(), paths.now + 10ms);
  paths.now += 10ms - std::chrono::microseconds(1);
  EXPECT_EQ(produce(), 0);
  paths.now += std::chrono::microseconds(1);
  EXPECT_EQ(produce(), 1);
  EXPECT_GT(paths.server.next_timer(), paths.now);
  // One that covers all that it can does not wait.
  for (int i = 0; i < 13; ++i) paths.add(1300);
  EXPECT_EQ(produce(), 12 + 1 + 1);
  // While the flow looks at the path without its own queue no more are begun.
  paths.add(6000);
  paths.server.protect(DatagramPath::Protection::kUrgent);
  const int all = produce();
  paths.now += 10ms;
  EXPECT_EQ(all + produce(), 5);
  EXPECT_GT(paths.server.doubt(), Duration()) << "those before may still restore";
}

// It fills the queue until something is lost; a repair takes a round trip.
TEST(Parity, BesideACompetitorItGoesBeforeAnythingIsLost) {
  for (const bool competing : {false, true}) {
    Paths paths(true);
    const auto lossless = [&](int messages) {
      for (int i = 0; i < messages; ++i) {
        paths.add(500);
        ASSERT_NO_FATAL_FAILURE(paths.exchange(0));
      }
      paths.messages = 0;
      paths.datagrams = 0;
    };
    lossless(400);  // until it is known
    using enum DatagramPath::Protection;
    paths.server.protect(competing ? kAll : kWhereLost);
    lossless(400);
    paths.add(6000);  // from the first parity on what comes is kept
    ASSERT_NO_FATAL_FAILURE(paths.exchange(0));
    lossless(0);
    paths.add(6000);
    ASSERT_NO_FATAL_FAILURE(paths.exchange(2));
    EXPECT_EQ(paths.messages, competing ? 1u : 0u);
    EXPECT_EQ(paths.datagrams, competing ? 6 : 5);
  }
}

// Where a round trip is longer than a message is of use, its loss is told when no repair is in time: not
// before it can be known that a parity has restored it.
TEST(Parity, WhatItMayHaveRestoredIsNotToldAsLostAtOnce) {
  for (const bool restored : {false, true}) {
    for (const Duration doubt : {Duration(), Duration(150ms)}) {
      OutgoingDatagrams out;
      out.add({.number = 1,
               .id = MessageId(1),
               .stream = StreamId(1),
               .importance = Importance(100),
               .position = Position(1),
               .deadline = kNow + 1s,
               .bytes = Payload::copy_of(Bytes(50, std::byte{1}))});
      const auto piece = out.take_fresh(50, 0ms, kNow);
      out.send_again(*piece);
      int lost = 0;
      const auto expire = [&](Timestamp now) {
        out.expire(now, doubt, [&](const auto&, std::size_t, bool part) { lost += part ? 1 : 0; });
      };
      expire(kNow + 1s);
      EXPECT_EQ(lost, doubt > Duration() ? 0 : 1);
      EXPECT_FALSE(out.take_again(50)) << "it would be too late";
      bool whole = false;
      if (restored) out.on_arrived(*piece, whole);
      EXPECT_EQ(out.next_deadline(), doubt > Duration() ? kNow + 1150ms : qvid::kNever);
      expire(kNow + 1150ms);
      EXPECT_EQ(lost, restored && doubt > Duration() ? 0 : 1);
      EXPECT_TRUE(out.empty());
    }
  }
}

TEST(Parity, TwoInOneDatagramAreABreach) {
  Paths paths(true);
  DatagramSeal seals(SessionSecret{}, DatagramDirection::kToClient);
  const Bytes sums(3, std::byte{1});
  for (const int count : {1, 2}) {
    Bytes frames, datagram;
    for (int i = 0; i < count; ++i) write_frame(Parity{1, 3, 9, sums}, frames);
    seals.seal(100'000 + static_cast<std::uint64_t>(count), frames, datagram);
    paths.news.clear();
    ASSERT_TRUE(paths.client.receive({.ip = {1}, .port = 7}, datagram, paths.now, paths.news));
    EXPECT_EQ(paths.news.wrong != nullptr, count == 2);
  }
}

// It would keep the queue full, and be what makes the losses that it goes for.
TEST(Parity, NoneGoesForWhatIsLostInAFullQueue) {
  Paths full(true, 80ms);
  Paths half(true, 20ms);
  for (Paths* paths : {&full, &half}) {
    EXPECT_GE(paths->server.datagrams_lost(), 20u);
    paths->add(6000);
    ASSERT_NO_FATAL_FAILURE(paths->exchange(2));
  }
  EXPECT_EQ(full.messages, 0u);
  EXPECT_EQ(half.messages, 1u);
}

TEST(Parity, NoneGoesToWhoDoesNotTakeThem) {
  Paths paths(false);
  paths.add(6000);
  ASSERT_NO_FATAL_FAILURE(paths.exchange(2));
  EXPECT_EQ(paths.messages, 0u);
  EXPECT_EQ(paths.datagrams, 5);
}

// Of 600 pictures at 2 Mbit/s in three messages, of which one in seven loses a datagram, the messages
// that waited for a repair. `before`: other losses after another time.
int late_at_two_percent(Duration before) {
  ByDatagrams d;
  std::map<std::uint64_t, Timestamp> sent, arrived;
  d.call.on_arrived = [&](const MessageArrived& m) {
    arrived[m.position.value()] = d.call.net.now();
  };
  d.call.net.udp.loss = 0.02;
  d.show(before, 8400);  // until it is known
  d.call.net.run_for(1s);
  for (int i = 0; i < 600; ++i) {
    for (const std::size_t size : {30u, 1900u, 6500u}) {
      sent[d.call.next_tag] = d.call.net.now();
      d.call.send(Side::kServer, size, 100, d.call.net.now() + 1s);
    }
    d.call.net.run_for(Duration(1s) / 30);
  }
  d.expect_settled();
  int late = 0;
  for (const auto& [tag, at] : sent) late += !arrived.contains(tag) || arrived[tag] > at + 75ms;
  EXPECT_GT(d.signals(Side::kServer).datagrams_lost, 60u);
  return late;
}

// One run of them has 8 to 37 late, 19 in the mean.
TEST(Parity, APictureWaitsForNoRepair) {
  int late = 0;
  for (const Duration before : {5s, 6s, 7s}) late += late_at_two_percent(before);
  EXPECT_LE(late, 3 * 30) << "without parities: some 300";
}

}  // namespace
}  // namespace paceline
