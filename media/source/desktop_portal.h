// A screen or window that a person lets Qvid see, by the desktop's portal: its interface
// org.freedesktop.portal.ScreenCast, over D-Bus. The portal shows the chooser.
//
// Private to media. Thread and waits: those of base/portal/portal_session.h; made, asked and destroyed
// on one thread (capture).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/owned_file.h"
#include "base/result.h"

namespace qvid::media {

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
