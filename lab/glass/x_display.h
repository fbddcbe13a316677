// A connection to an X display, and a piece of memory that it shares with the server: pictures go
// through it both ways.
//
// XCB rather than Xlib: what a server does wrong is an exception here, while Xlib ends the program.
// Thread: one each.
#pragma once

#include <xcb/shm.h>
#include <xcb/xcb.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "lab/glass/eye.h"

namespace qvid::lab {

// What malloc gave, as XCB's replies.
struct FreeDeleter {
  void operator()(void* memory) const;
};
template <class T>
using XReply = std::unique_ptr<T, FreeDeleter>;

class XDisplay {
 public:
  // `name` as in DISPLAY: ":90". Throws std::runtime_error where there is none with 24 bit colours.
  explicit XDisplay(const std::string& name);
  ~XDisplay();
  XDisplay(const XDisplay&) = delete;
  XDisplay& operator=(const XDisplay&) = delete;

  xcb_connection_t* connection() const { return connection_; }
  const xcb_screen_t& screen() const { return *screen_; }
  // Waits until the server has done all that it was asked for. Throws where it is gone.
  void sync() const;

 private:
  xcb_connection_t* connection_ = nullptr;
  xcb_screen_t* screen_ = nullptr;
};

// Pixels that the server can write and read.
class SharedPixels {
 public:
  // Throws std::runtime_error where the server shares none.
  SharedPixels(const XDisplay& display, std::size_t count);
  ~SharedPixels();
  SharedPixels(const SharedPixels&) = delete;
  SharedPixels& operator=(const SharedPixels&) = delete;

  std::span<std::uint32_t> pixels() const { return pixels_; }
  xcb_shm_seg_t segment() const { return segment_; }

 private:
  const XDisplay& display_;
  xcb_shm_seg_t segment_;
  std::span<std::uint32_t> pixels_;
};

// What a display shows, for an eye.
class XScreenView final : public ScreenView {
 public:
  explicit XScreenView(const std::string& display);

  int width() const override { return display_.screen().width_in_pixels; }
  int height() const override { return display_.screen().height_in_pixels; }
  // Throws std::runtime_error where the server is gone.
  Shot take(int x, int y, int width, int height) override;

 private:
  XDisplay display_;
  SharedPixels shared_;
};

}  // namespace qvid::lab
