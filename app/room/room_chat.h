// The chat of a party: what it was told, and what it says.
//
// Thread: the io_context's; `view` any. Callbacks come on the io_context's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "app/room/chat_log.h"
#include "pubsub/client/room_client.h"

namespace qvid::app {

// As it is at one moment.
struct ChatView {
  bool available = false;  // the broker has chat, and this party is in its room
  std::deque<ChatMessage> messages{};
  std::uint64_t told = 0;  // messages of others, ever
};

class RoomChat {
 public:
  // What was said so long ago is no news.
  static constexpr Duration kNews = std::chrono::seconds(5);

  struct Callbacks {
    // For the first time; `news`: it was said just now, and not before one came.
    std::function<void(const ChatMessage&, bool news)> message = [](const ChatMessage&, bool) {};
    std::function<void()> changed = [] {};
  };
  RoomChat(const std::string& own_name, Callbacks callbacks);
  RoomChat(const RoomChat&) = delete;
  RoomChat& operator=(const RoomChat&) = delete;

  // `client` stays until left().
  void joined(qps::RoomClient& client);
  void left();
  void said(const qps::Said& said);
  void not_said(const qps::NotSaid& refused);

  // To all, where `to` is empty. What cannot be said is told by a line of the log.
  void say(const std::string& text, const std::string& to);

  std::shared_ptr<const ChatView> view() const;

 private:
  void show();
  void note(const std::string& text);

  const Callbacks callbacks_;
  ChatLog log_;
  qps::RoomClient* client_ = nullptr;
  mutable std::mutex mutex_;  // guards the next
  std::shared_ptr<const ChatView> view_ = std::make_shared<ChatView>();
};

}  // namespace qvid::app
