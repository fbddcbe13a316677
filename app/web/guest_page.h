// What a guest with a browser gets from a server's port: the page, and what it is made of.
//
//   /  /ROOM  /watch/NAME   index.html, which looks at its own address
//   /web/NAME               the file of that name
//
// The page may run, load and connect to what is its own, and nothing else (Content-Security-Policy);
// nobody may show it inside another. Pure. Thread: any.
#pragma once

#include <span>
#include <string_view>

#include "app/web/web_asset.h"
#include "transport/socket/http_visit.h"

namespace qvid::app {

inline constexpr std::string_view kIndexFile = "index.html";

// Of a path that is none of those, or where there is no such file: HttpPage().
paceline::HttpPage guest_page(std::string_view path, std::span<const WebAsset> assets);

// The same of a server of videos, which has no rooms: / leads to what it shows live.
paceline::HttpPage watch_page(std::string_view path, std::span<const WebAsset> assets);

}  // namespace qvid::app
