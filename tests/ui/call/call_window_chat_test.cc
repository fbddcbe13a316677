// The chat in a call's window: what keys do while one writes, and what is told to the app.
#include <SDL.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tests/ui/call/call_window_fixture.h"
#include "ui/call/chat_model.h"
#include "ui/call/side_panel.h"

namespace qvid::ui {
namespace {

class CallWindowChatTest : public CallPanelTest {
 protected:
  CallWindowChatTest() {
    model_.chat.available = true;
    say("Bob", "hello");
  }
  void say(const std::string& from, const std::string& text) {
    auto lines = model_.chat.lines ? *model_.chat.lines : std::vector<ChatLine>();
    lines.push_back({.from = from, .time = "14:05", .text = text});
    model_.chat.lines = std::make_shared<std::vector<ChatLine>>(std::move(lines));
    ++model_.chat.told;
  }
  void open() {
    window_->set_tiles(some_tiles(2));
    window_->draw(model_);
    EXPECT_EQ(after(SDLK_t), Commands{});
    draw();
  }
  void type(const std::string& text) {
    SDL_Event event{};
    event.type = SDL_TEXTINPUT;
    ASSERT_LT(text.size(), sizeof event.text.text);
    std::memcpy(event.text.text, text.c_str(), text.size() + 1);
    ASSERT_EQ(SDL_PushEvent(&event), 1);
    window_->wait(1s);
    draw();
  }
};

TEST_F(CallWindowChatTest, WhatIsTypedIsSaidAndNoKeyOfTheCall) {
  open();
  EXPECT_TRUE(window_->shows_chat());
  EXPECT_EQ(press(SDLK_q), Commands{}) << "it is a letter";
  EXPECT_EQ(press(SDLK_SPACE), Commands{});
  EXPECT_EQ(press(SDLK_t), Commands{});
  type("quite \u0141\u4e2d");
  EXPECT_EQ(press(SDLK_RETURN), Commands{CallCommand::kSay});
  EXPECT_EQ(window_->said(), "quite \u0141\u4e2d");
  EXPECT_EQ(press(SDLK_RETURN), Commands{}) << "nothing is typed";
  type("\U0001F600 \U0001F468\u200D\U0001F467 \u2C00");
  EXPECT_EQ(press(SDLK_RETURN), Commands{CallCommand::kSay});
  EXPECT_EQ(window_->said(), "\U0001F600 \U0001F468\u200D\U0001F467 \u2C00");
  type("next");
  EXPECT_EQ(press(SDLK_RETURN), Commands{CallCommand::kSay}) << "the line has kept the focus";
  EXPECT_EQ(window_->said(), "next");
  EXPECT_EQ(press(SDLK_ESCAPE), Commands{}) << "leaves the chat";
  EXPECT_FALSE(window_->shows_chat());
  EXPECT_EQ(press(SDLK_q), Commands{CallCommand::kQuit});
}

TEST_F(CallWindowChatTest, NoKeyComesBetweenTheChatAndItsFocus) {
  window_->draw(model_);
  push_key(SDLK_t, KMOD_NONE);
  push_key(SDLK_q, KMOD_NONE);  // in one turn
  EXPECT_EQ(window_->wait(1s), Commands{});
  window_->draw(model_);
  push_key(SDLK_q, KMOD_NONE);  // before another drawing
  EXPECT_EQ(window_->wait(1s), Commands{});
  type("a");
  push_key(SDLK_RETURN, KMOD_NONE);
  window_->wait(1s);
  window_->draw(model_);
  EXPECT_EQ(window_->wait(1ms), Commands{CallCommand::kSay});
  push_key(SDLK_q, KMOD_NONE);
  EXPECT_EQ(window_->wait(1s), Commands{}) << "a quick next message";
}

TEST_F(CallWindowChatTest, WhatIsTypedStaysWhileTheChatIsClosed) {
  open();
  type("half a");
  press(SDLK_ESCAPE);
  EXPECT_EQ(press(SDLK_t), Commands{});
  type(" sentence");
  press(SDLK_RETURN);
  EXPECT_NE(window_->said().find("sentence"), std::string::npos);
  EXPECT_NE(window_->said().find("half a"), std::string::npos);
}

TEST_F(CallWindowChatTest, WithoutAChatNothingIsSaid) {
  model_.chat.available = false;
  open();
  type("anybody?");
  EXPECT_EQ(press(SDLK_RETURN), Commands{});
}

TEST_F(CallWindowChatTest, TheTilesMakeRoomForIt) {
  window_->set_tiles(some_tiles(1));
  window_->draw(model_);
  const Rectangle before = window_->place_of("0");
  open();
  window_->draw(model_);
  const Rectangle beside = window_->place_of("0");
  const Rectangle panel = place_panel({640, 386}, 0, 0);
  EXPECT_LT(panel.width, 640);
  EXPECT_GT(before.x + before.width, panel.x);
  EXPECT_LE(beside.x + beside.width, panel.x);
  EXPECT_EQ(place_panel({400, 300}, 26, 0), (Rectangle{0, 26, 400, 274})) << "no room for both";
}

TEST_F(CallWindowChatTest, IsDrawnAgainOnlyForSomethingNew) {
  open();
  draw();
  EXPECT_FALSE(window_->draw(model_));
  say("Bob", "more");
  EXPECT_TRUE(window_->draw(model_));
  draw();
  EXPECT_FALSE(window_->draw(model_));
}

TEST_F(CallWindowChatTest, DrawsTextsOfEveryKind) {
  for (int i = 0; i < 500; ++i) {
    say("Bob", std::string(static_cast<std::size_t>(4 * i), 'x') + " https://a.org/" +
                   std::string(1500, 'y') + "##id %s \u202e\U0001f600");
  }
  say("", "not sent: too many");
  open();
  for (const SDL_Keycode key : {SDLK_PAGEUP, SDLK_PAGEUP, SDLK_PAGEDOWN}) {
    EXPECT_EQ(press(key), Commands{});
  }
  type("\U0001f600");
}

TEST(Unread, IsWhatCameSinceTheChatWasSeen) {
  Unread unread;
  unread.note(0, false);
  EXPECT_EQ(unread.count(), 0u);
  unread.note(3, false);
  EXPECT_EQ(unread.count(), 3u);
  unread.note(4, true);
  EXPECT_EQ(unread.count(), 0u);
  unread.note(6, false);
  EXPECT_EQ(unread.count(), 2u);
}

}  // namespace
}  // namespace qvid::ui
