// What messages to a broker and messages from it have in common: names, tracks, attributes and their
// bounds.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/units.h"

namespace qps {

inline constexpr std::size_t kMaxName = 64;          // bytes, of a room and of a member
inline constexpr std::size_t kMaxAbout = 2048;       // bytes
inline constexpr std::size_t kMaxAttributes = 1024;  // bytes, of a member's as JSON
inline constexpr int kMaxAttributeDepth = 6;

inline constexpr std::size_t kMaxTrack = 16;    // bytes, of a track's name
inline constexpr std::size_t kMaxTracks = 4;    // that a member publishes
inline constexpr std::size_t kMaxToken = 4096;  // bytes
inline constexpr std::size_t kMaxSelf = 64;     // bytes
inline constexpr std::size_t kMaxReason = 200;  // bytes, of a kick
inline constexpr std::size_t kMaxNodesTold = 8;
inline constexpr std::size_t kMaxNodeAddress = 400;  // bytes, with a fingerprint
inline constexpr std::size_t kMaxChatText = 2000;    // bytes
// Words of what one end understands beyond what every one does, told when it joins: nothing of it is
// said to who has not told so, which would close the session for it. Unknown ones are left aside.
inline constexpr std::size_t kMaxKnown = 32;
inline constexpr const char* kKnowsChat = "chat";        // say, said, not_said
inline constexpr const char* kKnowsHands = "hands";      // hand, both ways
inline constexpr const char* kKnowsOrder = "order";      // held, locked; admin hold and lock
inline constexpr const char* kKnowsMembers = "members";  // members, of a broker
inline constexpr const char* kKnowsNodes = "nodes";      // nodes, of a broker
// Items' fragments in any order, of a broker: they may go by datagrams and over several sockets.
inline constexpr const char* kKnowsAnyOrder = "unordered";
inline constexpr std::uint32_t kMaxViewer = 1'000'000;
inline constexpr qvid::Duration kMaxWindow = std::chrono::seconds(10);

enum class AdminAction { kRooms, kStats, kKick, kHold, kLock, kCluster };
// It is to know something, not to do something to a room.
constexpr bool asks(AdminAction action) {
  return action == AdminAction::kRooms || action == AdminAction::kStats ||
         action == AdminAction::kCluster;
}

// The attribute, a boolean, of one who records. It is what it joined with: a broker changes it for
// nobody, so that it cannot be hidden once others have let themselves be recorded.
inline constexpr const char* kRecording = "recording";

// A name of a room or a member: 1..kMaxName bytes of UTF-8 without control characters, and without
// spaces at its ends.
bool is_name(std::string_view text);
// The form in which a name is kept, told and compared: Unicode's NFC, so that two writings of what looks
// the same are one name. What is no UTF-8 stays as it is. It may be longer, up to three times.
std::string name_form(std::string_view text);
// A name of one who comes in, so that nobody looks like another or like nobody: no characters that
// are not seen or that turn the direction, no space of any kind at its ends. Joiners where a script
// needs them: between two characters that are not Latin.
bool is_clean_name(std::string_view text);
// A name of a track: 0..kMaxTrack of a-z, 0-9 and the hyphen.
bool is_track(std::string_view text);
// No deeper than `levels` of arrays and objects.
bool within_depth(const nlohmann::json& value, int levels);
// An object of at most kMaxAttributes as text and kMaxAttributeDepth levels.
bool are_attributes(const nlohmann::json& value);

}  // namespace qps
