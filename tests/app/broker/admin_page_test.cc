// What an operator's script asks for by HTTP, and what it is answered.
#include "app/broker/admin_page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace qvid::app {
namespace {

class AdminPage : public testing::Test {
 protected:
  StatusServer::Page post(const std::string& body, bool of_browser = false) {
    return ask({.path = "/admin",
                .posts = true,
                .token = "root",
                .of_browser = of_browser,
                .body = body,
                .from = {}});
  }
  StatusServer::Page ask(const StatusServer::Request& request) {
    asked_.reset();
    return admin_page(request, [this](const qps::Admin& admin) {
      asked_ = admin;
      return answer_;
    });
  }
  Result<qps::Answer> answer_{qps::Answer{.error = {}, .data = {{"rooms", {"den"}}}}};
  std::optional<qps::Admin> asked_;
};

TEST_F(AdminPage, AsksByTheTokenOfTheHeader) {
  const auto page = post(R"( {"do":"kick","room":"den","name":"Bob","token":"another"})");
  EXPECT_EQ(page.status, 200u);
  EXPECT_EQ(page.type, "application/json");
  EXPECT_EQ(page.body, "{\"rooms\":[\"den\"]}\n");
  ASSERT_TRUE(asked_);
  EXPECT_EQ(asked_->action, qps::AdminAction::kKick);
  EXPECT_EQ(asked_->token, "root");
  EXPECT_EQ(asked_->room, "den");
  EXPECT_EQ(asked_->name, "Bob");
}

TEST_F(AdminPage, SaysWhatWasNotDone) {
  answer_ = Error{"a wrong token"};
  EXPECT_EQ(post(R"({"do":"rooms"})").status, 403u);
  answer_ = qps::Answer{.error = "there is no room 'den'"};
  const auto page = post(R"({"do":"lock","room":"den","on":true})");
  EXPECT_EQ(page.status, 409u);
  EXPECT_EQ(nlohmann::json::parse(page.body)["error"], "there is no room 'den'");
}

TEST_F(AdminPage, NobodyIsAskedForWhatIsNoRequest) {
  const std::string deep(8000, '[');
  for (const std::string body :
       {"", "{}", "nonsense", "[1]", "{\"do\":7}", "{\"do\":\"fly\"}", "{\"do\":\"rooms\"",
        "x{\"do\":\"rooms\"}", "{\"type\":\"join\",\"room\":\"den\"}"}) {
    EXPECT_EQ(post(body).status, 400u) << body;
    EXPECT_FALSE(asked_) << body;
  }
  EXPECT_EQ(post("{\"do\":\"rooms\",\"x\":" + deep).status, 400u);
  EXPECT_FALSE(asked_);
  const std::string closed(4000, ']');
  EXPECT_EQ(post("{\"do\":\"rooms\",\"x\":" + deep.substr(0, 4000) + closed + "}").status, 200u)
      << "what nobody knows is left aside, however deep";
  EXPECT_EQ(ask({.path = "/admin", .token = "root", .from = {}}).status, 405u);
  EXPECT_FALSE(asked_);
}

TEST_F(AdminPage, APageOfABrowserIsRefused) {
  EXPECT_EQ(post(R"({"do":"rooms"})", true).status, 403u);
  EXPECT_FALSE(asked_) << "whatever it was";
}

}  // namespace
}  // namespace qvid::app
