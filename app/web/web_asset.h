// The files of the page for browsers, as the program has them: cmake/web_assets.cmake puts them in.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qvid::app {

struct WebAsset {
  std::string_view name;  // "index.html"
  std::span<const std::byte> content;
  std::string_view tag;  // ETag, with its quotes
  bool gzip = true;      // the content is compressed
};

// Empty: this program was built without them. They live as long as it. Thread: any.
std::span<const WebAsset> embedded_assets();

// An ETag of what it is made of; not against forgery.
std::string tag_of(std::span<const std::byte> content);

}  // namespace qvid::app
