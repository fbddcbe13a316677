// Where pictures come from: a camera, a screen, a file or URL, or a scene drawn by us.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/video_frame.h"
#include "media/sound/sound_device.h"

namespace qvid::media {

class SoundQueue;

// A part of a screen: a window by its number (of X11, as list_sources tells it), or a rectangle in pixels.
// Neither: all of it.
struct ScreenArea {
  std::uint32_t window = 0;
  PictureSize size{};
  int x = 0;
  int y = 0;

  // "window=0x2a00003", "640x480+10+20", or empty.
  std::string text() const;
  bool operator==(const ScreenArea&) const = default;
};

// What a person typed: `camera[:device]`, `screen[:display][@area]`, `test[:sync]`, or a path or URL.
struct SourceSpec {
  enum class Kind { kCamera, kScreen, kFile, kTest };
  Kind kind = Kind::kTest;
  std::string device;  // device, display, path or URL, or `sync`; empty for the default one
  ScreenArea area{};   // of a screen

  // As it would be typed, but for user and password of a URL: for logs and lists.
  std::string text() const;
};
// A URL without user and password.
std::string without_credentials(const std::string& url);
Result<SourceSpec> parse_source_spec(std::string_view text);
// The first camera if there is one, else `test`.
SourceSpec default_source();

struct SourceOptions {
  PictureSize size{};  // wanted; {0, 0}: what the source has (test: 640x480). Scaled where needed
  FrameRate rate{};    // wanted of a device
  bool loop = false;   // files: start again at the end
  // Where the sound of a file, a URL or the test scene goes, with `captured` as the pictures that
  // belong to it. Null: it is left. Devices have none.
  std::shared_ptr<SoundQueue> sound{};
  // Why there is no sound where there should be some, once an opening. May be left out.
  OnSoundStatus sound_status{};
};

struct EndOfStream {};

// Thread: opened, read and destroyed on one thread (capture). `read` blocks for at most about one
// second past `stop`.
class VideoSource {
 public:
  virtual ~VideoSource() = default;
  // The next picture, when it is there: files are paced to real time by their timestamps.
  // An Error means that the source is lost (unplugged, display closed, unreadable) and must be
  // opened again.
  virtual Result<std::variant<VideoFrame, EndOfStream>> read(std::stop_token stop) = 0;
  // Size of every frame that `read` gives: even numbers.
  virtual PictureSize size() const = 0;
  // What was opened, for a person: "camera /dev/video0, 640x480 at 30 fps".
  virtual std::string description() const = 0;
};

// Opens; the error says what is missing or busy and what to try.
Result<std::unique_ptr<VideoSource>> open_source(const SourceSpec& spec,
                                                 const SourceOptions& options,
                                                 std::stop_token stop);

// A source that can be had on this machine now, for `qvid sources`.
struct AvailableSource {
  std::string type_this;    // the spec to type
  std::string description;  // "Integrated Camera", "1920x1080"
  std::string window{};     // its title, of a window: any bytes
  PictureSize size{};       // in pixels, of a screen
};
std::vector<AvailableSource> list_sources();
// The screen of $DISPLAY and its windows. Waits for the X server's answers.
std::vector<AvailableSource> list_screen();

}  // namespace qvid::media
