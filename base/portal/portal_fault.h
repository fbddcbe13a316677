// Why the desktop's portal does not do what it was asked for. Who asks makes a sentence of it.
#pragma once

#include <cstdint>
#include <string>

namespace qvid {

struct PortalFault {
  enum class Kind : std::uint8_t {
    kStopped,  // by the stop token
    kNoBus,    // there is no session bus, or it does not answer
    kAbsent,   // nobody has the portal's name
    kLacking,  // it has not this interface, or nothing behind it
    kFailed,   // at `step`
    kRefused,  // by the person
    kClosed,   // the session, by the person or the desktop
    kGone,     // it has left the bus, or another has its name
  };
  Kind kind = Kind::kFailed;
  std::string why{};   // in English, of who has failed; empty with those that say all
  std::string step{};  // of kFailed, as "begin"
};

}  // namespace qvid
