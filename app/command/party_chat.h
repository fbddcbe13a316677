// The chat of a party as its window is told of it, and as programs are.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/room/room_chat.h"
#include "ui/call/chat_model.h"

namespace qvid::app {

ui::ChatModel chat_model(const ChatView& view);
// {"event":"message","from":"Ann","to":"Bob","text":"Hello!","time":1764000000}    without "to": to all
nlohmann::json event_of(const ChatMessage& message);

}  // namespace qvid::app
