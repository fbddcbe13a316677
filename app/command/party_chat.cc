#include "app/command/party_chat.h"

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace qvid::app {
namespace {

// Where the user is: "14:05".
std::string clock_text(ChatTime time) {
  const std::time_t seconds = time.time_since_epoch().count();
  std::tm here{};
  if (::localtime_r(&seconds, &here) == nullptr) return {};
  char text[8];
  return {text, std::strftime(text, sizeof text, "%H:%M", &here)};
}

}  // namespace

ui::ChatModel chat_model(const ChatView& view) {
  auto lines = std::make_shared<std::vector<ui::ChatLine>>();
  lines->reserve(view.messages.size());
  for (const ChatMessage& message : view.messages) {
    lines->push_back({.from = message.from,
                      .to = message.to,
                      .time = clock_text(message.time),
                      .text = message.text,
                      .own = message.own});
  }
  return {.available = view.available, .lines = std::move(lines), .told = view.told};
}

nlohmann::json event_of(const ChatMessage& message) {
  nlohmann::json event = {{"event", "message"},
                          {"from", message.from},
                          {"text", message.text},
                          {"time", message.time.time_since_epoch().count()}};
  if (!message.to.empty()) event["to"] = message.to;
  return event;
}

}  // namespace qvid::app
