// A broker on loopback sockets with its sessions on threads of their own, and on one: the same to
// its clients. These are on the test's thread, which is the rooms' too.
#include "pubsub/server/broker_server.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/clock.h"
#include "pubsub/client/room_client.h"
#include "tests/pubsub/fake_port.h"
#include "tests/temporary_folder.h"
#include "tests/transport/event_loop.h"
#include "tests/transport/relay.h"
#include "transport/tls/tls.h"

namespace qps {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

struct How {
  std::size_t threads;
  bool tls;
};

struct BrokerServerTest : testing::TestWithParam<How>, paceline::EventLoop {
  // Who joins a room, and what came.
  struct Party {
    std::unique_ptr<RoomClient> client;
    bool joined = false;
    std::map<std::string, bool> wanted;  // by track
    int begins = 0;
    std::map<std::string, int> parts_ended;  // by track
    std::map<int, std::string> seats;        // who is shown
    std::map<int, std::vector<Part>> got;    // since then
    std::vector<std::string> left;
    std::optional<std::string> ended;
  };

  void open() {
    BrokerServerOptions options{.listen = {.host = "127.0.0.1", .port = 0},
                                .identity = {},
                                .session = {},
                                .threads = GetParam().threads,
                                .broker = {}};
    options.max_clients = max_clients;
    if (GetParam().tls) {
      const auto made = paceline::Identity::load_or_generate(folder / "identity");
      ASSERT_TRUE(made) << made.error().message;
      options.identity = *made;
      paceline::TrustOptions by;
      by.fingerprint = (*made)->fingerprint();
      trust = *paceline::Trust::make(by);
    }
    auto opened = BrokerServer::open(io, options, [](const BrokerLine&) {});
    ASSERT_TRUE(opened) << opened.error().message;
    server = *std::move(opened);
  }
  void join(Party& party, const std::string& name,
            const std::optional<paceline::Address>& address = std::nullopt) {
    party.client = std::make_unique<RoomClient>(
        io,
        paceline::Session::Remote{.address = address.value_or(server->address()), .trust = trust},
        paceline::SessionConfig{}, Join{.room = "den", .name = name, .token = {}},
        RoomClient::Callbacks{
            .joined = [&party] { party.joined = true; },
            .left = [&party](const Left& left) { party.left.push_back(left.name); },
            .seat =
                [&party](const Seat& seat) {
                  party.seats[seat.seat] = seat.name;
                  party.got[seat.seat].clear();
                },
            .part = [&party](std::uint32_t, int seat,
                             Part&& part) { party.got[seat].push_back(std::move(part)); },
            .wanted = [&party](const std::string& track,
                               bool wanted) { party.wanted[track] = wanted; },
            .begin = [&party](const std::string&) { ++party.begins; },
            .part_ended = [&party](const std::string& track, const PartId&, bool,
                                   ByteCount) { ++party.parts_ended[track]; },
            .ended = [&party](const std::string& reason, bool) { party.ended = reason; }});
    ASSERT_TRUE(run_until([&] { return party.joined; })) << name;
  }
  static constexpr std::size_t kSize = 20'000;
  // Item `number`, of two parts.
  static void send(Party& party, std::int64_t number, std::size_t size = kSize) {
    for (std::uint8_t part = 0; part < 2; ++part) {
      const std::string text(size, static_cast<char>('a' + number % 26));
      EXPECT_TRUE(party.client->send({.item = number, .part = part}, envelope_of(number, part),
                                     Payload::copy_of(text), qvid::steady_now() + 10s));
    }
  }
  // The seat got all parts of `items` items from `first` on; their numbers there begin anew.
  static void expect_shown(const Party& party, std::size_t items, std::int64_t first = 0) {
    const auto& got = party.got.at(0);
    ASSERT_EQ(got.size(), 2 * items);
    for (const Part& part : got) {
      const auto letter = static_cast<char>('a' + (first + part.id.item) % 26);
      EXPECT_TRUE(part.data.text() == std::string(kSize, letter)) << part.id.item;
    }
  }
  void TearDown() override {
    parties.clear();
    drain();  // of the relay's connections
    relay.reset();
    if (server) server->stop();
    run_out();
    server.reset();
    io.restart();
    EXPECT_EQ(paceline::Session::alive(), 0);
  }
  // To the end of all there is to do; true: in time.
  bool run_out() {
    io.restart();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!io.stopped() && std::chrono::steady_clock::now() < end) {
      io.run_one_for(std::chrono::milliseconds(100));
    }
    return io.stopped();
  }

  qvid::TemporaryFolder folder;
  std::shared_ptr<paceline::Trust> trust;
  std::size_t max_clients = 1024;
  std::unique_ptr<BrokerServer> server;
  std::optional<paceline::Relay> relay;
  std::map<std::string, Party> parties;
};

INSTANTIATE_TEST_SUITE_P(Threads, BrokerServerTest,
                         testing::Values(How{1, false}, How{2, false}, How{3, true}),
                         [](const auto& how) {
                           return std::to_string(how.param.threads) +
                                  (how.param.tls ? "Tls" : "Plain");
                         });

TEST_P(BrokerServerTest, EveryViewerGetsEveryItem) {
  ASSERT_NO_FATAL_FAILURE(open());
  Party& ann = parties["Ann"];
  ASSERT_NO_FATAL_FAILURE(join(ann, "Ann"));
  ann.client->publish("about");
  for (int i = 0; i < 8; ++i) {
    const std::string name = "V" + std::to_string(i);
    ASSERT_NO_FATAL_FAILURE(join(parties[name], name));
    parties[name].client->watch({.viewer = 1, .names = {"Ann"}, .best = {}, .window = 10s});
  }
  EXPECT_EQ(server->broker().clients(), 9u);
  const auto all_see = [&] {
    return std::ranges::all_of(
        parties, [](const auto& p) { return p.first == "Ann" || p.second.seats.contains(0); });
  };
  ASSERT_TRUE(run_until([&] { return all_see() && ann.wanted[""]; }));
  constexpr std::size_t kItems = 30;
  for (std::size_t i = 0; i < kItems; ++i) send(ann, static_cast<std::int64_t>(i));
  for (auto& [name, viewer] : parties) {
    if (name == "Ann") continue;
    auto& got = viewer.got[0];
    ASSERT_TRUE(run_until([&] { return got.size() == 2 * kItems; }))
        << name << " has " << got.size();
    expect_shown(viewer, kItems);
  }
  const auto ends = [&] {
    return server->broker().stats().fragments_out == 8 * server->broker().stats().fragments_in;
  };
  EXPECT_TRUE(run_until(ends));
  EXPECT_EQ(server->broker().stats().fragments_lost, 0);
  EXPECT_EQ(server->broker().stats().faults, 0);
}

TEST_P(BrokerServerTest, SeatsSwitchAndPublishersGo) {
  ASSERT_NO_FATAL_FAILURE(open());
  for (const char* name : {"Ann", "Bob", "Eve"}) ASSERT_NO_FATAL_FAILURE(join(parties[name], name));
  Party &ann = parties["Ann"], &bob = parties["Bob"], &eve = parties["Eve"];
  ann.client->publish("a");
  bob.client->publish("b");
  for (int round = 0; round < 3; ++round) {
    for (auto* shown : {&ann, &bob}) {
      const std::string name = shown == &ann ? "Ann" : "Bob";
      // Still wanted from the last time, it would send before the broker knows whom to.
      ASSERT_TRUE(run_until([&] { return !shown->wanted[""]; }));
      eve.client->watch({.viewer = 1, .names = {name}, .best = {}, .window = 10s});
      ASSERT_TRUE(run_until([&] { return shown->wanted[""]; }));
      // At the beginning of what it sends the seat goes over.
      send(*shown, 20 * round);
      ASSERT_TRUE(run_until([&] { return eve.seats[0] == name && eve.got[0].size() == 2; }));
      for (int i = 1; i < 5; ++i) send(*shown, 20 * round + i);
      ASSERT_TRUE(run_until([&] { return eve.got[0].size() == 10; }));
      expect_shown(eve, 5, 20 * round);
      eve.got[0].clear();
      send(*shown, 20 * round + 5, 300'000);  // is under way when it goes over again
    }
  }
  bob.client->close("bye");
  ASSERT_TRUE(run_until([&] { return eve.seats[0].empty(); }));
  EXPECT_TRUE(run_until([&] { return eve.left == std::vector<std::string>{"Bob"}; }));
  EXPECT_EQ(server->broker().stats().faults, 0);
}

TEST_P(BrokerServerTest, TracksHaveItemsOfTheirOwn) {
  ASSERT_NO_FATAL_FAILURE(open());
  Party &ann = parties["Ann"], &bob = parties["Bob"], &eve = parties["Eve"];
  for (const char* name : {"Ann", "Bob", "Eve"}) ASSERT_NO_FATAL_FAILURE(join(parties[name], name));
  ann.client->publish("picture");
  ann.client->publish("sound", "sound");
  bob.client->watch({.viewer = 1, .names = {"Ann"}, .best = {}, .window = 10s});
  eve.client->watch({.viewer = 1, .names = {}, .best = "", .window = 10s, .track = "sound"});
  ASSERT_TRUE(run_until([&] {
    return ann.wanted[""] && ann.wanted["sound"] && bob.seats.contains(0) && eve.seats.contains(0);
  }));
  // The same numbers, other contents.
  const auto put = [&](std::int64_t number, const std::string& text, const std::string& track) {
    return ann.client->send({.item = number, .part = 0}, {.begins = true, .due = {}},
                            Payload::copy_of(std::string_view(text)), qvid::steady_now() + 10s,
                            track);
  };
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(put(i, "seen", ""));
    EXPECT_TRUE(put(i, "heard", "sound"));
  }
  EXPECT_FALSE(put(0, "", "none"));
  EXPECT_FALSE(ann.client->cancel({.item = 0, .part = 0}, "none"));
  ASSERT_TRUE(run_until([&] {
    return bob.got[0].size() == 20 && eve.got[0].size() == 20 && ann.parts_ended[""] == 20 &&
           ann.parts_ended["sound"] == 20;
  }));
  for (const Part& part : bob.got[0]) EXPECT_EQ(part.data.text(), "seen");
  for (const Part& part : eve.got[0]) EXPECT_EQ(part.data.text(), "heard");
  // One ends; the other does not notice.
  ann.client->unpublish();
  ASSERT_TRUE(run_until([&] { return bob.seats[0].empty(); }));
  EXPECT_FALSE(put(20, "seen", ""));
  EXPECT_TRUE(put(20, "heard", "sound"));
  ASSERT_TRUE(run_until([&] { return eve.got[0].size() == 21 && ann.parts_ended["sound"] == 21; }));
  // What was under way of one that is published anew is not told as of the new one.
  EXPECT_TRUE(put(21, std::string(300'000, 'a'), "sound"));
  ann.wanted["sound"] = false;
  ann.client->publish("sound", "sound");
  ASSERT_TRUE(run_until([&] { return ann.wanted["sound"]; }));
  EXPECT_EQ(ann.parts_ended["sound"], 21);
  EXPECT_TRUE(put(21, "heard", "sound"));
  ASSERT_TRUE(run_until([&] { return ann.parts_ended["sound"] == 22 && eve.got[0].size() == 1; }));
  EXPECT_EQ(eve.got[0][0].data.text(), "heard");
  EXPECT_EQ(server->broker().stats().faults, 0);
}

TEST_P(BrokerServerTest, WhoIsGoneWithoutAWordIsNoTroubleToOthers) {
  ASSERT_NO_FATAL_FAILURE(open());
  relay.emplace(io, server->address());
  Party &ann = parties["Ann"], &bob = parties["Bob"], &cid = parties["Cid"];
  ASSERT_NO_FATAL_FAILURE(join(ann, "Ann"));
  ASSERT_NO_FATAL_FAILURE(join(bob, "Bob"));
  ASSERT_NO_FATAL_FAILURE(join(cid, "Cid", relay->address()));
  ann.client->publish("a");
  for (Party* viewer : {&bob, &cid}) {
    viewer->client->watch({.viewer = 1, .names = {"Ann"}, .best = {}, .window = 10s});
  }
  ASSERT_TRUE(run_until([&] { return bob.seats.contains(0) && cid.seats.contains(0); }));
  relay->refuse(true);
  relay->reset_all();
  std::int64_t item = 0;
  // With items under way, until the broker gives it up.
  while (bob.left.empty() && item < 400) {
    send(ann, item++);
    const std::size_t want = 2 * static_cast<std::size_t>(item);
    ASSERT_TRUE(run_until([&] { return bob.got[0].size() == want; }));
    io.restart();
    io.run_one_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(run_until([&] { return !bob.left.empty(); }));
  EXPECT_EQ(bob.left, std::vector<std::string>{"Cid"});
  EXPECT_TRUE(run_until([&] { return server->broker().clients() == 2; }));
  // All that was sent to it has ended.
  EXPECT_EQ(server->broker().counts().seats, 1u);
}

TEST_P(BrokerServerTest, DrainsAndStops) {
  ASSERT_NO_FATAL_FAILURE(open());
  for (int i = 0; i < 6; ++i) {
    const std::string name = "P" + std::to_string(i);
    ASSERT_NO_FATAL_FAILURE(join(parties[name], name));
  }
  server->drain("it is replaced");
  EXPECT_TRUE(server->broker().draining());
  server->stop();
  EXPECT_TRUE(run_out()) << "it does not end by itself";
  for (const auto& [name, party] : parties) EXPECT_TRUE(party.ended) << name;
  EXPECT_EQ(server->broker().clients(), 0u);
}

TEST_P(BrokerServerTest, StopsWithNobodyThere) {
  ASSERT_NO_FATAL_FAILURE(open());
  server->stop();
  EXPECT_TRUE(run_out());
}

TEST_P(BrokerServerTest, MayGoWithClientsThere) {
  ASSERT_NO_FATAL_FAILURE(open());
  Party &ann = parties["Ann"], &bob = parties["Bob"];
  ASSERT_NO_FATAL_FAILURE(join(ann, "Ann"));
  ASSERT_NO_FATAL_FAILURE(join(bob, "Bob"));
  ann.client->publish("a");
  bob.client->watch({.viewer = 1, .names = {"Ann"}, .best = {}, .window = 10s});
  ASSERT_TRUE(run_until([&] { return ann.wanted[""] && bob.seats.contains(0); }));
  for (int i = 0; i < 10; ++i) send(ann, i);
  ASSERT_TRUE(run_until([&] { return !bob.got[0].empty(); }));
  if (GetParam().threads == 1) return;  // there its sessions are the io_context's
  server.reset();
}

TEST_P(BrokerServerTest, AClientThatIsClosedForAFaultIsToldWhy) {
  ASSERT_NO_FATAL_FAILURE(open());
  Party& ann = parties["Ann"];
  ASSERT_NO_FATAL_FAILURE(join(ann, "Ann"));
  ann.client->set_attributes({{"long", std::string(600, 'x')}});
  ann.client->set_attributes({{"longer", std::string(600, 'x')}});
  ASSERT_TRUE(run_until([&] { return ann.ended.has_value(); }));
  EXPECT_EQ(*ann.ended, "more attributes than a member may have");
  EXPECT_EQ(server->broker().stats().faults, 1);
  EXPECT_TRUE(run_until([&] { return server->broker().clients() == 0; }));
}

TEST_P(BrokerServerTest, ACertificateIsReplacedWithoutTheEndOfASession) {
  if (!GetParam().tls) return;
  ASSERT_NO_FATAL_FAILURE(open());
  Party &ann = parties["Ann"], &bob = parties["Bob"], &eve = parties["Eve"];
  ASSERT_NO_FATAL_FAILURE(join(ann, "Ann"));
  ann.client->publish("a");
  const auto next = paceline::Identity::load_or_generate(folder / "next");
  ASSERT_TRUE(next) << next.error().message;
  server->set_identity(*next);
  const auto before = trust;
  trust = *paceline::Trust::make(
      {.fingerprint = (*next)->fingerprint(), .ca_file = {}, .known_hosts = {}});
  ASSERT_NO_FATAL_FAILURE(join(bob, "Bob"));
  bob.client->watch({.viewer = 1, .names = {"Ann"}, .best = {}, .window = 10s});
  ASSERT_TRUE(run_until([&] { return ann.wanted[""]; }));
  send(ann, 0);
  EXPECT_TRUE(run_until([&] { return bob.got[0].size() == 2; }));
  EXPECT_FALSE(ann.ended);
  // Who knows the old one only is not let down into trusting another.
  RoomClient::Callbacks told;
  told.ended = [&eve](const std::string& why, bool) { eve.ended = why; };
  eve.client = std::make_unique<RoomClient>(
      io, paceline::Session::Remote{.address = server->address(), .trust = before},
      paceline::SessionConfig{}, Join{.room = "den", .name = "Eve", .token = {}}, std::move(told));
  EXPECT_TRUE(run_until([&] { return eve.ended.has_value(); }));
}

// Its session is not read for a while; the others see nothing of it, nor is anything of it lost.
TEST_P(BrokerServerTest, OneThatAsksForTooMuchWaitsAlone) {
  ASSERT_NO_FATAL_FAILURE(open());
  Party &ann = parties["Ann"], &bob = parties["Bob"], &eve = parties["Eve"];
  for (auto& [name, party] : parties) ASSERT_NO_FATAL_FAILURE(join(party, name));
  BrokerOptions few;
  few.max_requests = 20;
  server->set_limits(max_clients, 64, few);
  bob.client->watch({.viewer = 1, .names = {"Ann"}, .best = {}, .window = 10s});
  bob.client->watch({.viewer = 2, .names = {"Eve"}, .best = {}, .seats = 1, .window = 10s});
  for (int i = 0; i < 60; ++i) eve.client->set_attributes({{"i", i}});
  eve.client->publish("e");
  ann.client->publish("a");
  ASSERT_TRUE(run_until([&] { return ann.wanted[""]; }));
  EXPECT_FALSE(eve.wanted[""]);
  for (int i = 0; i < 10; ++i) send(ann, i);
  ASSERT_TRUE(run_until([&] { return bob.got[0].size() == 20; }));
  ASSERT_TRUE(run_until([&] { return eve.wanted[""]; }));
  EXPECT_EQ(server->broker().stats().slowed, 1);
  EXPECT_GT(server->broker().stats().put_off, 0);
  EXPECT_FALSE(eve.ended);
}

}  // namespace
}  // namespace qps
