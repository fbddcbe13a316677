// The URLs of videos: qvid://host[:port]/name[#sha256:...] (transport/tls/url.h), where no name
// means the live one.
#pragma once

#include <string_view>

#include "transport/tls/url.h"

namespace qvid::app {

using paceline::escaped;
using paceline::kDefaultPort;
using paceline::kMaxName;
using paceline::Url;

inline constexpr std::string_view kLiveName = "live";

inline Result<Url> parse_url(std::string_view text, std::string_view unnamed = kLiveName) {
  return paceline::parse_url(text, unnamed);
}

}  // namespace qvid::app
