// Why the desktop shows nothing, in a sentence: what, where, what to do. What matters is said first: a
// window has one line for it, the log has all. Private to media.
#pragma once

#include <string>

#include "base/portal/portal_fault.h"
#include "base/result.h"

namespace qvid::media {

inline Error no_session_bus(const std::string& why) {
  return {"there is no session bus to ask the desktop for a screen by (" + why +
          "); start Qvid from within the desktop's session"};
}
inline Error no_portal(const std::string& why) {
  return {"the desktop's portal, which shows screens, does not answer (" + why +
          "); install xdg-desktop-portal and the one of your desktop, as xdg-desktop-portal-gnome, "
          "-kde or -wlr"};
}
inline Error no_screen_cast(const std::string& why) {
  return {"the desktop's portal shows no screens (" + why +
          "); install the portal of your desktop, as xdg-desktop-portal-gnome, -kde or -wlr, and "
          "log in again"};
}
inline Error portal_failed(const std::string& what, const std::string& why) {
  return {"the desktop's portal has failed to " + what + " (" + why +
          "); try again, or see its log: journalctl --user -u xdg-desktop-portal"};
}
inline Error not_allowed() { return {"no screen was chosen; share again to choose one"}; }
inline Error portal_gone() {
  return {"the desktop's portal has gone while it was asked for a screen; try again"};
}
inline Error no_pipewire(const std::string& why) {
  return {"PipeWire, by which the screen comes, is not reached (" + why +
          "); check that it runs (systemctl --user status pipewire), and that its modules are "
          "installed (on Debian libpipewire-0.3-modules)"};
}
inline Error no_pictures(const std::string& why) {
  return {"the screen that was chosen gives no pictures (" + why + "); share it again"};
}
inline Error stopped_asking() { return {"stopped while the desktop was asked for a screen"}; }
inline Error no_screen(const PortalFault& fault) {
  using enum PortalFault::Kind;
  switch (fault.kind) {
    case kNoBus: return no_session_bus(fault.why);
    case kAbsent: return no_portal(fault.why);
    case kLacking: return no_screen_cast(fault.why);
    case kRefused: return not_allowed();
    case kGone: return portal_gone();
    case kStopped: return stopped_asking();
    case kClosed:
    case kFailed: break;
  }
  return portal_failed(fault.step, fault.why);
}
inline Error sharing_ended(const std::string& why) {
  return {"the desktop has ended it (" + why + "); share again to go on"};
}
inline Error sharing_ended(const PortalFault& fault) {
  const bool gone = fault.kind == PortalFault::Kind::kGone;
  return sharing_ended(gone ? "its portal is gone"
                            : "by its own button, or what was shown is gone");
}
inline Error area_without_display() {
  return {
      "a part of a screen or a window by its number is only had of X11; on Wayland type screen, "
      "and the desktop lets you choose, or name an X display, like screen::0@640x480+10+20"};
}

}  // namespace qvid::media
