#include "media/source/wayland_session.h"

#include <cstdlib>
#include <string_view>

namespace qvid::media {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

bool in_wayland_session() {
  return !variable("WAYLAND_DISPLAY").empty() || variable("XDG_SESSION_TYPE") == "wayland";
}

bool is_chosen_on_desktop(const SourceSpec& spec) {
  return spec.kind == SourceSpec::Kind::kScreen && spec.device.empty() && in_wayland_session();
}

}  // namespace qvid::media
