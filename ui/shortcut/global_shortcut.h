// A key that works while another window has the keyboard: a global shortcut, for which the desktop's
// portal is asked (org.freedesktop.portal.GlobalShortcuts), and which the person or the desktop
// chooses. No key is grabbed: where there is no such portal, there is no such key.
//
//   asked -> bound, again when the key is changed -> { held, let go }* -> ended
//
// Invariant: held(true) and held(false) alternate; who is told of the end has been told that the key
// is let go. Nobody is told of the end by the destructor.
//
// Thread: one of its own, on which all is told; made and destroyed on another.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

struct _GVariant;

namespace qvid {
class PortalSession;
struct PortalFault;
}  // namespace qvid

namespace qvid::ui {

// UTF-8.
struct ShortcutWish {
  std::string id{};           // by which the desktop remembers it
  std::string description{};  // for the person
  std::string trigger{};      // as the "shortcuts" specification of XDG writes it: "CTRL+ALT+space"
};

struct ShortcutCallbacks {
  // As the desktop writes it, for people; one line. Empty: it has no key yet.
  std::function<void(const std::string& trigger)> bound;
  std::function<void(bool)> held;
  // A sentence without a stop.
  std::function<void(const std::string& why)> ended;
};

class GlobalShortcut {
 public:
  GlobalShortcut(ShortcutWish wish, ShortcutCallbacks callbacks);
  // Waits for the thread, which stops at once.
  ~GlobalShortcut() = default;

 private:
  void run(const std::stop_token& stop);
  PortalFault hold(PortalSession& session);
  void take_signal(std::string_view name, _GVariant* parameters);
  bool take_trigger(_GVariant* shortcuts);
  void set_held(bool held);

  const ShortcutWish wish_;
  const ShortcutCallbacks callbacks_;
  bool held_ = false;
  std::jthread thread_;
};

}  // namespace qvid::ui
