#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "media/source/camera_list.h"
#include "media/source/video_source.h"

namespace qvid::media {
namespace {

constexpr std::string_view kWhatToType =
    "type camera, camera:/dev/video0, screen, screen::0, test, test:sync, or the path or URL of a "
    "video";
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

Result<SourceSpec> screen_spec(std::string_view display) {
  if (display.empty()) {
    return Error{"no display after \"screen:\"; type screen for $DISPLAY, or name one: screen::0"};
  }
  std::string name(display);
  if (all_digits(display)) name = ":" + name;
  return SourceSpec{SourceSpec::Kind::kScreen, name};
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

// One of the words that mean something other than a file, alone or before a colon.
bool has_keyword(std::string_view text) {
  const auto word = text.substr(0, text.find(':'));
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

std::string SourceSpec::text() const {
  switch (kind) {
    case Kind::kCamera: return device.empty() ? "camera" : "camera:" + device;
    case Kind::kScreen: return device.empty() ? "screen" : "screen:" + device;
    case Kind::kTest: return device.empty() ? "test" : "test:" + device;
    case Kind::kFile: break;
  }
  return has_keyword(device) ? "./" + device : without_credentials(device);
}

Result<SourceSpec> parse_source_spec(std::string_view text) {
  using Kind = SourceSpec::Kind;
  if (text.empty()) return Error{"no source given; " + std::string(kWhatToType)};
  if (text.find('\0') != std::string_view::npos) {
    return Error{"the source " + in_quotes(text) + " has a zero byte in it; " +
                 std::string(kWhatToType)};
  }
  if (text == "camera") return SourceSpec{Kind::kCamera, {}};
  if (text == "screen") return SourceSpec{Kind::kScreen, {}};
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
  if (text.starts_with("screen:")) return screen_spec(text.substr(7));
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
