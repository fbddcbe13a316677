// What this user's desktop says of proxies (GNOME, KDE, http_proxy), PAC files included, by libproxy.
//
// libproxy fetches a PAC file and runs its JavaScript, and takes as long as it likes. So another
// process of this program asks it, which has nothing of ours and is killed when its time is over:
//
//   desktop_proxy(to) --exec--> qvid desktop-proxy https://host:port/ --> libproxy
//                     <--pipe-- a way a line, at most kMostSaid bytes
#pragma once

#include <string>
#include <string_view>

#include "base/units.h"
#include "transport/socket/address.h"

namespace qvid::app {

inline constexpr std::string_view kDesktopProxyCommand = "desktop-proxy";
inline constexpr Duration kDesktopPatience = std::chrono::seconds(3);

// The proxy to go through, as parse_proxy reads it; empty: none, or nothing is known. Waits
// kDesktopPatience at the most: not for an event loop's thread.
std::string desktop_proxy(const paceline::Address& to);

// What the other process does: its exit code.
int tell_desktop_proxy(const char* url);

// Of libproxy's lines the first that can be used: "" where that is to go directly.
std::string first_usable_way(std::string_view lines);

}  // namespace qvid::app
