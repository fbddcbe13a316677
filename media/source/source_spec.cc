#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "media/source/camera_list.h"
#include "media/source/video_source.h"

namespace qvid::media {
namespace {

constexpr std::string_view kWhatToType =
    "type camera, camera:/dev/video0, screen, screen::0, screen@640x480+0+0, test, test:sync, or the "
    "path or URL of a video";
constexpr std::array<std::string_view, 7> kSchemes = {"file", "http", "https", "rtsp",
                                                      "rtp",  "udp",  "tcp"};

bool all_digits(std::string_view text) {
  return !text.empty() && text.size() <= 4 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Result<SourceSpec> camera_spec(std::string_view device) {
  std::string path(device);
  if (all_digits(device)) path = "/dev/video" + path;
  if (device.starts_with("video") && all_digits(device.substr(5))) path = "/dev/" + path;
  if (!path.starts_with('/')) {
    return Error{"no camera is called " + in_quotes(device) +
                 "; type camera for the first one, or its device: camera:/dev/video0"};
  }
  return SourceSpec{SourceSpec::Kind::kCamera, path};
}

// Takes a number that `text` begins with.
template <class T>
bool take_number(std::string_view& text, T& number, int base = 10) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return true;
}
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// As an X11 window has them.
constexpr int kLongestSide = 32'767;

std::optional<ScreenArea> area_of(std::string_view text) {
  ScreenArea area;
  if (take(text, "window=")) {
    const int base = take(text, "0x") ? 16 : 10;
    if (!take_number(text, area.window, base) || !text.empty() || area.window == 0) return {};
    return area;
  }
  const bool is_area = take_number(text, area.size.width) && take(text, "x") &&
                       take_number(text, area.size.height) && take(text, "+") &&
                       take_number(text, area.x) && take(text, "+") && take_number(text, area.y) &&
                       text.empty();
  const bool fits = area.size.width >= 2 && area.size.height >= 2 && area.x >= 0 && area.y >= 0 &&
                    area.size.width <= kLongestSide - area.x &&
                    area.size.height <= kLongestSide - area.y;
  return is_area && fits ? std::optional(area) : std::nullopt;
}

// What is behind "screen".
Result<SourceSpec> screen_spec(std::string_view text) {
  SourceSpec spec{.kind = SourceSpec::Kind::kScreen, .device = {}};
  const auto at = text.find('@');
  const std::string_view named = text.substr(0, at);
  if (named == ":") {
    return Error{"no display after \"screen:\"; type screen for $DISPLAY, or name one: screen::0"};
  }
  if (!named.empty()) {
    const std::string_view display = named.substr(1);
    spec.device = (all_digits(display) ? ":" : "") + std::string(display);
  }
  if (at == std::string_view::npos) return spec;
  const auto area = area_of(text.substr(at + 1));
  if (!area) {
    return Error{"no part of a screen is " + in_quotes(text.substr(at + 1)) +
                 "; type its size and place, screen@640x480+10+20, or the number of a window as "
                 "`qvid sources` tells it, screen@window=0x2a00003"};
  }
  spec.area = *area;
  return spec;
}

// What is before "://", if that is what a scheme looks like (RFC 3986, section 3.1).
std::string_view scheme_of(std::string_view text) {
  const auto end = text.find("://");
  if (end == std::string_view::npos || end == 0) return {};
  const auto scheme = text.substr(0, end);
  const bool valid = std::all_of(scheme.begin(), scheme.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.';
  });
  return valid ? scheme : std::string_view{};
}

// One of the words that mean something other than a file, alone or before a colon or an @.
bool has_keyword(std::string_view text) {
  const auto word = text.substr(0, text.find_first_of(":@"));
  return word == "camera" || word == "screen" || word == "test";
}

}  // namespace

std::string without_credentials(const std::string& url) {
  const auto scheme = url.find("://");
  if (scheme == std::string::npos) return url;
  const auto host = scheme + 3;
  const auto at = url.substr(0, url.find('/', host)).rfind('@');
  if (at == std::string::npos || at < host) return url;
  return url.substr(0, host) + url.substr(at + 1);
}

std::string ScreenArea::text() const {
  if (window != 0) {
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "%#x", window);
    return std::string("window=") + digits.data();
  }
  if (size == PictureSize{}) return {};
  return size_text(size) + "+" + std::to_string(x) + "+" + std::to_string(y);
}

std::string SourceSpec::text() const {
  switch (kind) {
    case Kind::kCamera: return device.empty() ? "camera" : "camera:" + device;
    case Kind::kScreen: {
      const std::string part = area.text();
      return "screen" + (device.empty() ? "" : ":" + device) + (part.empty() ? "" : "@" + part);
    }
    case Kind::kTest: return device.empty() ? "test" : "test:" + device;
    case Kind::kFile: break;
  }
  return without_credentials(has_keyword(device) ? "./" + device : device);
}

Result<SourceSpec> parse_source_spec(std::string_view text) {
  using Kind = SourceSpec::Kind;
  if (text.empty()) return Error{"no source given; " + std::string(kWhatToType)};
  if (text.find('\0') != std::string_view::npos) {
    return Error{"the source " + in_quotes(text) + " has a zero byte in it; " +
                 std::string(kWhatToType)};
  }
  if (text == "camera") return SourceSpec{Kind::kCamera, {}};
  if (text == "test") return SourceSpec{Kind::kTest, {}};
  if (text == "test:sync") return SourceSpec{Kind::kTest, "sync"};
  if (text.starts_with("camera:")) {
    if (text.size() == 7) {
      return Error{
          "no device after \"camera:\"; type camera for the first one, or its device: "
          "camera:/dev/video0"};
    }
    return camera_spec(text.substr(7));
  }
  if (text == "screen" || text.starts_with("screen:") || text.starts_with("screen@")) {
    return screen_spec(text.substr(6));
  }
  if (text.starts_with("test:")) {
    return Error{
        "there is no test clip " + in_quotes(text.substr(5)) + "; type test or test:sync, or " +
        in_quotes(std::string_view("./" + std::string(text))) + " for a file of that name"};
  }
  if (const auto scheme = scheme_of(text); !scheme.empty()) {
    if (std::find(kSchemes.begin(), kSchemes.end(), scheme) == kSchemes.end()) {
      return Error{"cannot read from " + in_quotes(text) +
                   "; a URL begins with http, https, rtsp, rtp, udp, tcp or file and \"://\""};
    }
    return SourceSpec{Kind::kFile, std::string(text)};
  }
  std::error_code ignored;
  const bool bare_word = text.find_first_of("/.") == std::string_view::npos;
  if (bare_word && !std::filesystem::exists(std::filesystem::path(text), ignored)) {
    return Error{"no source and no file is called " + in_quotes(text) + "; " +
                 std::string(kWhatToType)};
  }
  return SourceSpec{Kind::kFile, std::string(text)};
}

SourceSpec default_source() {
  const auto cameras = list_cameras();
  if (cameras.empty()) return {SourceSpec::Kind::kTest, {}};
  return {SourceSpec::Kind::kCamera, cameras.front().path};
}

}  // namespace qvid::media
