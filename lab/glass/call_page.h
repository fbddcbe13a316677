// The page that both browsers of a call open: the sender's takes the screen, the receiver's shows
// what comes, 640x400 in its upper left corner.
//
//   /call?role=send[&codec=NAME][&turn=URL]     role=receive
//
// The screen's track has contentHint "motion", by which Chromium treats it as a camera's; without
// it screens are coded for text, and slower. Its codec is that of WebRTC's name, VP8 by itself. With `turn`
// the sender goes through that server alone.
#pragma once

#include <string_view>

namespace qvid::lab {

// Under these names a page leaves, at the meeting point, why it failed.
inline constexpr const char* kSendError = "send-error";
inline constexpr const char* kReceiveError = "receive-error";
// What a TURN server knows the sender by.
inline constexpr const char* kTurnName = "glass";

std::string_view call_page();

}  // namespace qvid::lab
