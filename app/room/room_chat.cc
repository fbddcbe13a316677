#include "app/room/room_chat.h"

#include <fmt/format.h>

#include <utility>

#include "app/options/wall_time.h"
#include "base/text.h"
#include "ui/text/translated.h"

namespace qvid::app {

RoomChat::RoomChat(const std::string& own_name, Callbacks callbacks)
    : callbacks_(std::move(callbacks)), log_(own_name) {}

void RoomChat::joined(qps::RoomClient& client) {
  client_ = &client;
  log_.joined();
  show();
}

void RoomChat::left() {
  client_ = nullptr;
  show();
}

void RoomChat::said(const qps::Said& said) {
  const ChatMessage* const message = log_.add(said, wall_now());
  if (message == nullptr) return;
  callbacks_.message(*message, said.ago < kNews);
  show();
}

void RoomChat::not_said(const qps::NotSaid& refused) {
  note(ui::filled(ui::tr("not sent: {}"), refused.reason));
}

void RoomChat::say(const std::string& text, const std::string& to) {
  const std::string line = clean_line(text);
  if (line.empty()) return;
  if (line.size() > qps::kMaxChatText) {
    return note(ui::filled(ui::tr("not sent: a message has at most {} bytes, this one has {}"),
                           qps::kMaxChatText, line.size()));
  }
  if (!to.empty() && !qps::is_name(to)) return note(ui::tr("not sent: nobody has such a name"));
  if (client_ == nullptr) return note(ui::tr("not sent: there is no connection; send it again"));
  if (!client_->say(line, to)) note(ui::tr("not sent: this broker has no chat"));
}

void RoomChat::note(const std::string& text) {
  log_.note(text, wall_now());
  callbacks_.message(log_.messages().back(), true);
  show();
}

void RoomChat::show() {
  auto view = std::make_shared<ChatView>();
  view->available = client_ != nullptr && client_->broker_knows(qps::kKnowsChat);
  view->messages = log_.messages();
  view->told = log_.told();
  {
    const std::lock_guard lock(mutex_);
    view_ = std::move(view);
  }
  callbacks_.changed();
}

std::shared_ptr<const ChatView> RoomChat::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

}  // namespace qvid::app
