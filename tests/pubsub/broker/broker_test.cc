// Shows rooms, lists and refusals; what viewers get; switching, and who vanishes; limits and ends.
#include "pubsub/broker/broker.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/pubsub/broker/broker_fixture.h"
#include "tests/pubsub/broker_party.h"

namespace qps {
namespace {

using namespace std::chrono_literals;
using paceline::Outcome;
using paceline::StreamId;

TEST_F(BrokerTest, WhoJoinsIsToldOfAllAndAllOfHim) {
  Party ann(broker_, now_, "Ann");
  EXPECT_EQ(ann.port.last<Joined>()->room, "den");
  EXPECT_EQ(ann.port.count<Listed>(), 1u);
  ann.publish();
  ann.say(SetAttributes{{{"pinned", true}, {"x", 3}}});
  Party bob(broker_, now_, "Bob");
  ASSERT_EQ(bob.port.count<Member>(), 1u);
  EXPECT_EQ(bob.port.last<Member>()->name, "Ann");
  EXPECT_TRUE(bob.port.last<Member>()->publishes());
  EXPECT_EQ(bob.port.last<Member>()->attributes, nlohmann::json({{"pinned", true}, {"x", 3}}));
  EXPECT_EQ(ann.port.last<Member>()->name, "Bob");
  ann.say(SetAttributes{{{"pinned", nullptr}}});
  ann.say(SetAttributes{{{"y", 1}}});
  const auto told = bob.port.count<Member>();
  broker_.poll(now_);
  EXPECT_EQ(bob.port.last<Member>()->attributes, nlohmann::json({{"x", 3}, {"y", 1}}));
  EXPECT_EQ(bob.port.count<Member>(), told + 1);
  Party elsewhere(broker_, now_, "Ann", "attic");  // names are of a room
  EXPECT_TRUE(elsewhere.port.last<Joined>());
  EXPECT_EQ(bob.port.count<Member>(), told + 1);
  bob.leave("gone home");
  EXPECT_EQ(ann.port.last<Left>()->name, "Bob");
  EXPECT_EQ(ann.port.last<Left>()->reason, "gone home");
}

TEST_F(BrokerTest, TellsAnOperatorWhoComesAndGoes) {
  std::vector<BrokerEvent> events;
  broker_.set_events([&](const BrokerEvent& event) { events.push_back(event); });
  Party ann(broker_, now_, "Ann");
  ann.say(SetAttributes{{{"recording", true}}});  // nobody believes that afterwards
  {
    FakePort port;
    auto* const client = broker_.connect(port, "192.0.2.9:7");
    const auto join = serialise(ToBroker(
        Join{.room = "den", .name = "Eve", .token = {}, .attributes = {{"recording", true}}}));
    broker_.on_message(client,
                       {.stream = paceline::kFirstStream,
                        .importance = {},
                        .position = {},
                        .payload = Payload::copy_of(std::string_view(join))},
                       now_);
    broker_.disconnect(client, "it is leaving", now_);
  }
  ann.leave("gone home");
  ASSERT_EQ(events.size(), 4u);
  EXPECT_TRUE(events[0].joined);
  EXPECT_EQ(events[0].room, "den");
  EXPECT_EQ(events[0].member, "Ann");
  EXPECT_FALSE(events[0].records);
  EXPECT_EQ(events[1].member, "Eve");
  EXPECT_EQ(events[1].address, "192.0.2.9:7");
  EXPECT_TRUE(events[1].records);
  EXPECT_FALSE(events[2].joined);
  EXPECT_EQ(events[2].member, "Eve");
  EXPECT_EQ(events[2].reason, "it is leaving");
  EXPECT_EQ(events[3].member, "Ann");
}

TEST_F(BrokerTest, ANameThatIsTakenIsRefusedAndMayBeMended) {
  Party ann(broker_, now_, "Ann");
  Party other(broker_, now_, "Ann");
  ASSERT_TRUE(other.port.last<JoinRefused>());
  EXPECT_NE(other.port.last<JoinRefused>()->reason.find("taken"), std::string::npos);
  EXPECT_FALSE(other.port.closed);
  other.say(Join{.room = "den", .name = "Anna", .token = {}});
  EXPECT_TRUE(other.port.last<Joined>());
  EXPECT_EQ(broker_.stats().refused(), 1);
}

TEST_F(BrokerTest, WhoTakesItForAServerOfVideosIsToldSo) {
  Party ann(broker_, now_, "Ann");
  Party player(broker_, now_, "Ann");  // in no room: the name is taken
  player.say_text(R"({"type":"play","name":"live","window":3})");
  EXPECT_NE(player.port.last<JoinRefused>()->reason.find("this is a broker"), std::string::npos);
  EXPECT_FALSE(player.port.closed);
  ann.say(PlayHere{});
  EXPECT_TRUE(ann.port.closed) << "nonsense from a member";
}

TEST_F(BrokerTest, RightsHold) {
  BrokerOptions options;
  options.authorise = [](const Join& join, const Origin&) -> Result<Rights> {
    if (join.token != "ok") return Error{"the token is not valid"};
    return Rights{.publish = false, .subscribe = true};
  };
  Broker broker(options);
  Party ann(broker, now_, "Ann");
  EXPECT_EQ(ann.port.last<JoinRefused>()->reason, "the token is not valid");
  ann.say(Join{.room = "den", .name = "Ann", .token = "ok"});
  EXPECT_TRUE(ann.port.last<Joined>());
  ann.publish();
  EXPECT_EQ(ann.port.last<Removed>()->reason, "you may not publish here");
  EXPECT_EQ(broker.stats().wrong_tokens, 1);
  EXPECT_EQ(broker.stats().refused(), 0);
}

TEST_F(BrokerTest, FlowsOnlyWhileSomebodyWatches) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  EXPECT_EQ(ann.port.count<Wanted>(), 0u);
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  EXPECT_TRUE(ann.port.last<Wanted>()->on);
  EXPECT_EQ(ann.port.count<Begin>(), 1u);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");
  EXPECT_EQ(bob.port.last<Seat>()->about, "numbers");
  bob.say(PauseViewer{1});
  EXPECT_FALSE(ann.port.last<Wanted>()->on);
  bob.say(ResumeViewer{1});
  EXPECT_TRUE(ann.port.last<Wanted>()->on);
  bob.leave("killed");
  EXPECT_FALSE(ann.port.last<Wanted>()->on);
}

TEST_F(BrokerTest, AViewerBeginsAtABeginningAndCountsForItself) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  for (int n = 7; n < 12; ++n) {
    ann.item(n, 0);
    ann.item(n, 1);
  }
  EXPECT_EQ(bob.got(bob.seat_stream()), (Got{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  Party cid(broker_, now_, "Cid");
  cid.watch({"Ann"});
  for (int n = 12; n < 21; ++n) ann.item(n, 0);
  EXPECT_EQ(cid.got(cid.seat_stream()), (Got{{0, 0}}));
  EXPECT_EQ(bob.got(bob.seat_stream()).size(), 4u + 9u);
}

TEST_F(BrokerTest, FragmentsGoOnAsTheyCome) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  const auto fragments = to_fragments(envelope_of(0, 0), qvid::PayloadBuilder(20'000).take());
  ASSERT_EQ(fragments.size(), 3u);
  ann.arrive({.part = {.item = 0, .part = 0}, .fragment = 0}, fragments[0]);
  ASSERT_EQ(bob.port.sent.size(), 1u);
  // The bytes are shared, not copied.
  EXPECT_EQ(bob.port.sent[0].message.payload.data(), fragments[0].data());
  ann.arrive({.part = {.item = 0, .part = 0}, .fragment = 1}, fragments[1]);
  EXPECT_EQ(bob.port.sent.size(), 2u);
}

TEST_F(BrokerTest, AFragmentCountsOnceAndNoMoreThanThePartHas) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  const auto fragments = to_fragments(envelope_of(0, 0), qvid::PayloadBuilder(20'000).take());
  const FragmentId second{.part = {.item = 0, .part = 0}, .fragment = 1};
  ann.arrive({.part = second.part, .fragment = 0}, fragments[0]);
  ann.arrive(second, fragments[1]);
  ann.arrive(second, fragments[1]);
  ASSERT_EQ(bob.port.sent.size(), 2u);
  bob.say(Unwatch{1});
  EXPECT_EQ(bob.port.last<Seat>()->name, "");
  bob.end_all();  // of a seat that is gone
  bob.watch({"Ann"});
  EXPECT_FALSE(ann.port.closed);
  ann.arrive({.part = second.part, .fragment = 3}, fragments[1]);
  EXPECT_TRUE(ann.port.closed);
  EXPECT_FALSE(bob.port.closed);
}

TEST_F(BrokerTest, WatchingWhoIsNotThereWaitsForHim) {
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann", "Cid"});
  EXPECT_EQ(bob.port.count<Seat>(), 0u);
  Party ann(broker_, now_, "Ann");
  EXPECT_EQ(bob.port.count<Seat>(), 0u);
  ann.publish();
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");
  EXPECT_EQ(bob.port.last<Seat>()->seat, 0);
  ann.leave("killed");
  EXPECT_EQ(bob.port.last<Seat>()->name, "");
}

TEST_F(BrokerTest, ASwitchComesWithTheBeginningOfTheNext) {
  Party ann(broker_, now_, "Ann");
  Party cid(broker_, now_, "Cid");
  ann.publish();
  cid.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  ann.item(0);
  const StreamId first = bob.seat_stream();
  bob.watch({"Cid"});
  EXPECT_TRUE(cid.port.last<Wanted>()->on);
  EXPECT_EQ(cid.port.count<Begin>(), 1u);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");
  cid.item(5);
  ann.item(1);  // goes on until then
  EXPECT_EQ(bob.got(first), (Got{{0, 0}, {1, 0}}));
  cid.item(10);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Cid");
  EXPECT_EQ(bob.port.closed_streams, std::vector{first});
  EXPECT_EQ(bob.got(bob.seat_stream()), (Got{{0, 0}}));
  EXPECT_FALSE(ann.port.last<Wanted>()->on);
  ann.item(2);
  EXPECT_EQ(bob.got(first).size(), 2u);
}

TEST_F(BrokerTest, TheBestTakeTheSeatsAndSwitchWithoutAPause) {
  Party ann(broker_, now_, "Ann");
  Party cid(broker_, now_, "Cid");
  ann.publish();
  cid.publish();
  ann.say(SetAttributes{{{"loudness", -20}}});
  cid.say(SetAttributes{{{"loudness", -50}}});
  Party bob(broker_, now_, "Bob");
  bob.publish();
  bob.say(SetAttributes{{{"loudness", 0}}});  // who is not shown to himself
  broker_.poll(now_);
  const auto best = [&](const std::string& criteria) {
    bob.say(Watch{.viewer = 1, .names = {}, .best = criteria, .seats = 1, .window = 100ms});
  };
  best("ORDER BY loudness DESC");
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");
  ann.item(0);
  now_ += 1500ms;
  cid.say(SetAttributes{{{"loudness", -5}}});
  broker_.poll(now_);
  EXPECT_TRUE(cid.port.last<Wanted>()->on);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");  // until the next begins
  cid.item(0);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Cid");
  // Not back at once.
  now_ += 300ms;
  ann.say(SetAttributes{{{"loudness", -1}}});
  broker_.poll(now_);
  ann.item(10);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Cid");
  now_ += 1s;
  broker_.poll(now_);
  ann.item(20);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");
  // Changed while it runs; what is refused leaves the old one.
  now_ += 2s;
  best("ORDER BY name DESC");
  cid.item(30);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Cid");
  EXPECT_EQ(bob.port.count<NotWatched>(), 0u);
  for (const char* bad : {"ORDER BY loudnes", "LIMIT 1; DROP TABLE publishers",
                          "WHERE (SELECT count(*) FROM sqlite_master)"}) {
    now_ += 1s;
    const auto before = bob.port.count<NotWatched>();
    best(bad);
    EXPECT_EQ(bob.port.count<NotWatched>(), before + 1) << bad;
  }
  EXPECT_EQ(bob.port.last<Seat>()->name, "Cid");
  EXPECT_FALSE(bob.port.closed);
  cid.say(Unpublish{});
  broker_.poll(now_ + 1s);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");
}

TEST_F(BrokerTest, DeadlinesFollowTheSourcesClockAndTheWindow) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"}, 300ms);
  ann.item(0);
  EXPECT_EQ(bob.port.sent.back().message.deadline, kBegin + 300ms + 900ms);
  now_ += 150ms;  // due 100 ms after the first: 50 ms held up on its way
  ann.item(1);
  EXPECT_EQ(bob.port.sent.back().message.deadline, kBegin + 100ms + 300ms + 800ms);
}

TEST_F(BrokerTest, BadClientsAreClosedAndOthersSeeNothingOfIt) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  const auto fresh = [&](const std::string& name, const std::string& text) {
    Party bad(broker_, now_, name);
    bad.say_text(text);
    EXPECT_TRUE(bad.port.closed) << text;
    bad.say(Watch{.viewer = 1, .names = {"Ann"}, .best = {}, .seats = 1, .window = {}});
    EXPECT_EQ(bad.port.count<Seat>(), 0u);
    bad.leave("closed");
  };
  fresh("a", "nonsense");
  fresh("b", R"({"type":"join","room":"den","name":"x","attributes":{}})");
  fresh("c", R"({"type":"watch","viewer":7})");
  fresh("d", R"({"type":"publish","stream":0,"about":""})");
  Party flood(broker_, now_, "flood");
  for (int i = 0; i < 40'000; ++i) flood.say(Unpublish{});
  EXPECT_TRUE(flood.port.closed);
  Party early(broker_, now_, "Bob");  // refused, so in no room
  early.item(0);
  EXPECT_TRUE(early.port.closed);
  Party deaf(broker_, now_, "deaf");
  deaf.port.full = true;
  Party last(broker_, now_, "last");
  EXPECT_TRUE(deaf.port.closed);
  ann.item(0);
  EXPECT_EQ(bob.got(bob.seat_stream()), (Got{{0, 0}}));
  EXPECT_FALSE(ann.port.closed);
  EXPECT_FALSE(bob.port.closed);
}

TEST_F(BrokerTest, CountsWhatIsThereAndTakesNewLimits) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann", "Cid"});
  Party far(broker_, now_, "Far", "attic");
  broker_.set_options({.max_members = 2, .authorise = {}});
  Party late(broker_, now_, "Late");
  EXPECT_TRUE(late.port.last<JoinRefused>());
  EXPECT_FALSE(bob.port.closed);
  const BrokerCounts counts = broker_.counts();
  EXPECT_EQ(counts.clients, 4u);
  EXPECT_EQ(counts.members, 3u);
  EXPECT_EQ(counts.rooms, 2u);
  EXPECT_EQ(counts.publications, 1u);
  EXPECT_EQ(counts.viewers, 1u);
  EXPECT_EQ(counts.seats, 1u);
}

TEST_F(BrokerTest, KickAndDrain) {
  Party ann(broker_, now_, "Ann");
  EXPECT_FALSE(broker_.kick("den", "Bob", "x", now_));
  EXPECT_TRUE(broker_.kick("den", "Ann", "the operator says so", now_));
  EXPECT_EQ(ann.port.last<Removed>()->reason,
            "removed from the room by who runs it: the operator says so");
  Party bob(broker_, now_, "Bob");
  broker_.drain("the broker is being replaced");
  EXPECT_EQ(bob.port.last<Moving>()->reason, "the broker is being replaced");
  Party cid(broker_, now_, "Cid");
  EXPECT_FALSE(cid.port.last<Joined>());
  EXPECT_TRUE(cid.port.last<Moving>());
}

TEST_F(BrokerTest, ACallThatIsOverIsToldToAll) {
  Party ann(broker_, now_, "Ann");
  Party bob(broker_, now_, "Bob");
  broker_.dismiss("Ann has ended the call");
  for (const Party* party : {&ann, &bob}) {
    ASSERT_TRUE(party->port.last<JoinRefused>());
    EXPECT_EQ(party->port.last<JoinRefused>()->reason, "Ann has ended the call");
  }
  Party cid(broker_, now_, "Cid");
  EXPECT_FALSE(cid.port.last<Joined>());
}

}  // namespace
}  // namespace qps
