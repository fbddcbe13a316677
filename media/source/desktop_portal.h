// A screen or window that a person lets Qvid see, by the desktop's portal: its interface
// org.freedesktop.portal.ScreenCast, over D-Bus. The portal shows the chooser.
//
// By GLib's GDBus rather than libportal, which closes a request that is cancelled and does not answer
// it, does not watch whether the portal dies, and does not pass on why OpenPipeWireRemote has failed.
//
// Private to media. Thread: made, asked and destroyed on one (capture); GDBus has one of its own,
// which takes nothing of ours. All waits end by the stop token, and all but that for the person after
// 30 s.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/owned_file.h"
#include "base/result.h"

namespace qvid::media {

// Where the session's bus is, as D-Bus writes it; the error says that there is none. Asks nobody.
Result<std::string> session_bus_address();

class DesktopPortal {
 public:
  // What the person chose.
  struct Choice {
    OwnedFile pipewire;      // a connection that shows nothing else
    std::uint32_t node = 0;  // of PipeWire
    bool is_window = false;
  };

  // Waits until the person has chosen, or refused.
  static Result<std::unique_ptr<DesktopPortal>> ask(const std::stop_token& stop);
  virtual ~DesktopPortal() = default;  // what is shown is no longer
  virtual Choice& choice() = 0;
  // Why it is over, by the person or the desktop; empty: it goes on. Does not wait.
  virtual std::optional<Error> ended() = 0;
};

}  // namespace qvid::media
