// What a player asks of a server's layers, which is scripted here: over real sockets.
#include <gtest/gtest.h>

#include <vector>

#include "app/play/player.h"
#include "pubsub/wire/control_message.h"
#include "tests/transport/real_session.h"

namespace qvid::app {
namespace {

struct PlayerLayers : paceline::RealSession {
  void play(const Playing& answer, int layers = kAllLayers) {
    server.also = [this, answer](const paceline::SessionEvent& event) {
      const auto* message = std::get_if<paceline::MessageArrived>(&event);
      if (message == nullptr) return;
      const auto said = parse_client_message(message->payload.text());
      ASSERT_TRUE(said) << said.error().message;
      if (const auto* request = std::get_if<PlayRequest>(&*said)) {
        asked.push_back(request->layers);
        tell(answer);
      } else if (const auto* wanted = std::get_if<LayersWanted>(&*said)) {
        asked.push_back(wanted->most);
      } else if (std::holds_alternative<Seek>(*said)) {
        ++seeks;
      }
    };
    listen();
    PlayerOptions to_play;
    to_play.url.address = host->address();
    to_play.url.name = "it";
    to_play.layers = layers;
    to_play.session = config;
    player.emplace(io, std::move(to_play), nullptr,
                   Player::Callbacks{.picture = [](const media::ShownPicture&) {},
                                     .changed = [] {},
                                     .ended = [](ExitCode, const std::string&) {}});
    player->start();
    ASSERT_TRUE(run_until([&] { return asked.size() == 1; }));
    // What is told later is heard later.
    tell(Status{.ok = false, .text = "scripted"});
    ASSERT_TRUE(run_until([&] { return player->report().status.ends_with("scripted"); }));
  }
  void tell(const ServerMessage& message) {
    qps::send_control(*server.session, serialise(message));
  }
  void TearDown() override {
    if (player) player->stop();
    player.reset();
    RealSession::TearDown();
  }

  static Playing live(bool layers) {
    return {.codec = "h264", .rate = FrameRate(30), .window = 3, .stream = 2, .layers = layers};
  }

  std::optional<Player> player;
  std::vector<int> asked;  // how many layers, each time
  int seeks = 0;
};

TEST_F(PlayerLayers, TheBaseAloneOrAllAgain) {
  ASSERT_NO_FATAL_FAILURE(play(live(true)));
  EXPECT_TRUE(player->report().layers_heard);
  player->toggle_layers();
  EXPECT_EQ(player->report().layers, 1);
  player->toggle_layers();
  EXPECT_EQ(player->report().layers, kAllLayers);
  ASSERT_TRUE(run_until([&] { return asked.size() == 3; }));
  EXPECT_EQ(asked, (std::vector{kAllLayers, 1, kAllLayers}));
}

TEST_F(PlayerLayers, AreAskedForToBeginWithAndKeptOverAReconnection) {
  ASSERT_NO_FATAL_FAILURE(play(live(true), 1));
  EXPECT_EQ(asked, std::vector{1});
  server.closed.reset();
  server.session->close();
  ASSERT_TRUE(run_until([&] { return server.closed.has_value(); }));
  server.closed.reset();
  ASSERT_TRUE(run_until([&] { return asked.size() == 2; }));
  EXPECT_EQ(asked, (std::vector{1, 1}));
}

TEST_F(PlayerLayers, AnOlderServerIsAskedForNothing) {
  ASSERT_NO_FATAL_FAILURE(play(live(false)));
  EXPECT_FALSE(player->report().layers_heard);
  player->toggle_layers();
  EXPECT_EQ(player->report().layers, kAllLayers);
  tell(Status{.ok = false, .text = "later"});
  ASSERT_TRUE(run_until([&] { return player->report().status.ends_with("later"); }));
  EXPECT_EQ(asked.size(), 1u);
}

// What is sharper is asked for anew where a stored video is, for the base alone was sent ahead.
TEST_F(PlayerLayers, OfAStoredVideoMoreBeginsAtOnce) {
  Playing stored = live(true);
  stored.stored = StoredPlace{.duration = 60s};
  ASSERT_NO_FATAL_FAILURE(play(stored));
  player->toggle_layers();
  ASSERT_TRUE(run_until([&] { return asked.size() == 2; }));
  EXPECT_EQ(seeks, 0);
  player->toggle_layers();
  ASSERT_TRUE(run_until([&] { return seeks == 1; }));
  EXPECT_EQ(asked.back(), kAllLayers);
}

}  // namespace
}  // namespace qvid::app
