// What somebody has chosen before a call, and the command line that does it: from the window on, a
// call is what `qvid call` is, by the same code. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace qvid::app {

struct Joining {
  enum class Kind : std::uint8_t { kCall, kWatch, kHost };
  Kind kind = Kind::kCall;
  std::string link{};  // of the room; of a host empty
  std::string name{};
  std::string camera{};       // a source, as camera:/dev/video0; empty: what there is
  std::string microphone{};   // as --microphone
  std::string loudspeaker{};  // as --speaker
  std::string passphrase{};   // empty: none
  bool muted = false;
  bool without_camera = false;
};

// Behind `qvid`: {"call", "qvid://host/den", "--name", "Ann", ...}.
std::vector<std::string> words_of(const Joining& joining);

// Parties of a call that is hosted from the window; they say a passphrase.
inline constexpr int kHostedParties = 8;

}  // namespace qvid::app
