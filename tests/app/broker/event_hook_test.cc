// A web hook on real sockets: what it tells, that it tells it again where it was not taken, and what
// becomes of events that nobody takes.
#include "app/broker/event_hook.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "app/broker/status_server.h"

namespace qvid::app {
namespace {

constexpr qps::WallTime kWhen{std::chrono::seconds(1'795'000'000)};

class EventHookTest : public testing::Test {
 protected:
  void listen() {
    auto server = StatusServer::open(
        io_, {.host = "127.0.0.1", .port = 0},
        [this](const StatusServer::Request& request) -> std::optional<StatusServer::Page> {
          EXPECT_TRUE(request.posts);
          EXPECT_EQ(request.path, "/hook");
          came_.push_back(nlohmann::json::parse(request.body));
          return StatusServer::Page{.status = came_.size() <= refused_ ? 500u : 204u, .body = {}};
        },
        [](const std::string& trouble) { ADD_FAILURE() << trouble; });
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
  }
  std::unique_ptr<EventHook> hook_to(const paceline::Address& to) {
    return std::make_unique<EventHook>(
        io_, EventHook::Target{.address = to, .path = "/hook"},
        EventHook::Teller{.node = "east-1", .since = kWhen - std::chrono::seconds(10)},
        [this](const std::string& trouble) { warnings_.push_back(trouble); });
  }
  void tell(EventHook& hook, const std::string& member) {
    hook.tell({.joined = true, .room = "den", .member = member, .address = "192.0.2.1:7"}, kWhen);
  }
  void run_until_came(std::size_t count) {
    while (came_.size() < count && io_.run_one() > 0) {
    }
  }

  boost::asio::io_context io_{1};
  std::unique_ptr<StatusServer> server_;
  std::vector<nlohmann::json> came_;
  std::vector<std::string> warnings_;
  std::size_t refused_ = 0;  // of the first that come
};

TEST_F(EventHookTest, TellsInOrder) {
  ASSERT_NO_FATAL_FAILURE(listen());
  const auto hook = hook_to(server_->address());
  tell(*hook, "Ann");
  hook->tell({.room = "den", .member = "Bob", .address = "192.0.2.2:7", .reason = "it is leaving"},
             kWhen);
  run_until_came(2);
  ASSERT_EQ(came_.size(), 2u);
  EXPECT_EQ(came_[0], nlohmann::json({{"event", "joined"},
                                      {"node", "east-1"},
                                      {"since", "2026-11-18T11:06:30Z"},
                                      {"number", 1},
                                      {"time", "2026-11-18T11:06:40Z"},
                                      {"room", "den"},
                                      {"member", "Ann"},
                                      {"address", "192.0.2.1:7"},
                                      {"records", false},
                                      {"missing", 0}}));
  EXPECT_EQ(came_[1]["event"], "left");
  EXPECT_EQ(came_[1]["reason"], "it is leaving");
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(EventHookTest, TellsAgainWhatWasNotTaken) {
  ASSERT_NO_FATAL_FAILURE(listen());
  refused_ = 2;
  const auto hook = hook_to(server_->address());
  tell(*hook, "Ann");
  tell(*hook, "Bob");
  run_until_came(4);
  ASSERT_EQ(came_.size(), 4u);
  EXPECT_EQ(came_[0], came_[1]);
  EXPECT_EQ(came_[0], came_[2]);
  EXPECT_EQ(came_[3]["member"], "Bob");
  ASSERT_EQ(warnings_.size(), 1u) << "once";
  EXPECT_NE(warnings_[0].find("it answers 500"), std::string::npos) << warnings_[0];
}

TEST_F(EventHookTest, TheOldestGoAndAreCounted) {
  ASSERT_NO_FATAL_FAILURE(listen());
  refused_ = 1;
  const auto hook = hook_to(server_->address());
  tell(*hook, "first");
  while (warnings_.empty() && io_.run_one() > 0) {
  }
  for (std::size_t i = 0; i < EventHook::kMost + 5; ++i) tell(*hook, std::to_string(i));
  EXPECT_EQ(hook->waiting(), EventHook::kMost);
  run_until_came(3);
  ASSERT_EQ(came_.size(), 3u);
  EXPECT_EQ(came_[1]["member"], "first") << "it was on its way";
  EXPECT_EQ(came_[1]["missing"], 0);
  EXPECT_EQ(came_[2]["member"], "5");
  EXPECT_EQ(came_[2]["missing"], 5);
}

TEST_F(EventHookTest, MayGoInTheMiddle) {
  for (int steps = 0; steps < 10; ++steps) {
    ASSERT_NO_FATAL_FAILURE(listen());
    auto hook = hook_to(server_->address());
    tell(*hook, "Ann");
    for (int i = 0; i < steps; ++i) io_.run_one_for(std::chrono::milliseconds(10));
    hook.reset();
    server_.reset();
    io_.run();
    io_.restart();
  }
}

TEST(EventHook, AddressesAreRead) {
  const auto whole = EventHook::parse("http://127.0.0.1:8000/a/b?c=d");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->address.text(), "127.0.0.1:8000");
  EXPECT_EQ(whole->path, "/a/b?c=d");
  EXPECT_EQ(EventHook::parse("http://[::1]")->address.text(), "[::1]:80");
  EXPECT_EQ(EventHook::parse("http://host")->path, "/");
  for (const char* wrong :
       {"", "http://", "http:///x", "https://host/", "host:80", "http://host:x/", "http://host/a b",
        "http://host/\n", "http://host/\xff"}) {
    EXPECT_FALSE(EventHook::parse(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace qvid::app
