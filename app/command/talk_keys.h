// Whether one is heard: the microphone is muted or not, and a key that is held talks all the same.
//
//   heard = !muted or a key is held
//
// Who mutes, or unmutes, has let go of all keys: one that is still held is to be pressed anew. So
// nobody is heard who has just pressed the button to mute. Pure. Thread: one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace qvid::app {

enum class TalkKey : std::uint8_t {
  kWindow,   // of the window, while it has the keyboard
  kDesktop,  // of the desktop (ui/shortcut/global_shortcut.h)
};

class TalkKeys {
 public:
  explicit TalkKeys(bool muted) : muted_(muted) {}

  void toggle_mute() {
    muted_ = !muted_;
    held_ = {};
  }
  void set_held(TalkKey key, bool held) { held_.at(static_cast<std::size_t>(key)) = held; }

  bool muted() const { return muted_; }  // but for the keys
  bool talking() const { return held_[0] || held_[1]; }
  bool heard() const { return !muted_ || talking(); }

 private:
  bool muted_;
  std::array<bool, 2> held_{};  // by TalkKey
};

}  // namespace qvid::app
