#include "lab/glass/x_display.h"

#include <sys/ipc.h>
#include <sys/shm.h>

#include <cstdlib>
#include <stdexcept>

#include "base/clock.h"
#include "media/source/x_authority.h"

namespace qvid::lab {
namespace {

constexpr std::uint8_t kBitsPerPixel = 32;
constexpr std::uint32_t kAllPlanes = 0xffffffff;

bool has_wide_pixels(const xcb_setup_t* setup, std::uint8_t depth) {
  const xcb_format_t* formats = xcb_setup_pixmap_formats(setup);
  for (int i = 0; i < xcb_setup_pixmap_formats_length(setup); ++i) {
    if (formats[i].depth == depth) return formats[i].bits_per_pixel == kBitsPerPixel;
  }
  return false;
}

std::size_t pixels_of(const xcb_screen_t& screen) {
  return std::size_t{screen.width_in_pixels} * std::size_t{screen.height_in_pixels};
}

}  // namespace

void FreeDeleter::operator()(void* memory) const { std::free(memory); }

XDisplay::XDisplay(const std::string& name) {
  media::name_x_authority();
  connection_ = xcb_connect(name.c_str(), nullptr);
  if (xcb_connection_has_error(connection_) != 0) {
    xcb_disconnect(connection_);
    throw std::runtime_error("there is no display " + name);
  }
  const xcb_setup_t* setup = xcb_get_setup(connection_);
  screen_ = xcb_setup_roots_iterator(setup).data;
  if (!has_wide_pixels(setup, screen_->root_depth) ||
      setup->image_byte_order != XCB_IMAGE_ORDER_LSB_FIRST) {
    xcb_disconnect(connection_);
    throw std::runtime_error("the display " + name + " has no pixels of 32 bits");
  }
}

XDisplay::~XDisplay() { xcb_disconnect(connection_); }

void XDisplay::sync() const {
  const XReply<xcb_get_input_focus_reply_t> reply(
      xcb_get_input_focus_reply(connection_, xcb_get_input_focus(connection_), nullptr));
  if (!reply) throw std::runtime_error("the display is gone");
}

SharedPixels::SharedPixels(const XDisplay& display, std::size_t count)
    : display_(display), segment_(xcb_generate_id(display.connection())) {
  const int id = shmget(IPC_PRIVATE, count * sizeof(std::uint32_t), IPC_CREAT | 0600);
  void* memory = id < 0 ? nullptr : shmat(id, nullptr, 0);
  void* const none = reinterpret_cast<void*>(-1);  // NOLINT(performance-no-int-to-ptr): shmat's
  if (id < 0 || memory == none) {
    if (id >= 0) shmctl(id, IPC_RMID, nullptr);
    throw std::runtime_error("no memory to share with a display");
  }
  pixels_ = {static_cast<std::uint32_t*>(memory), count};
  const XReply<xcb_generic_error_t> error(xcb_request_check(
      display.connection(),
      xcb_shm_attach_checked(display.connection(), segment_, static_cast<std::uint32_t>(id), 0)));
  shmctl(id, IPC_RMID, nullptr);  // it goes with the last who has it
  if (error || xcb_connection_has_error(display.connection()) != 0) {
    shmdt(memory);
    throw std::runtime_error("the display shares no memory");
  }
}

SharedPixels::~SharedPixels() {
  xcb_shm_detach(display_.connection(), segment_);
  xcb_flush(display_.connection());
  shmdt(pixels_.data());
}

XScreenView::XScreenView(const std::string& display)
    : display_(display), shared_(display_, pixels_of(display_.screen())) {}

ScreenView::Shot XScreenView::take(int x, int y, int width, int height) {
  xcb_connection_t* c = display_.connection();
  const XReply<xcb_shm_get_image_reply_t> reply(xcb_shm_get_image_reply(
      c,
      xcb_shm_get_image(c, display_.screen().root, static_cast<std::int16_t>(x),
                        static_cast<std::int16_t>(y), static_cast<std::uint16_t>(width),
                        static_cast<std::uint16_t>(height), kAllPlanes, XCB_IMAGE_FORMAT_Z_PIXMAP,
                        shared_.segment(), 0),
      nullptr));
  if (!reply) throw std::runtime_error("the display gives no pixels");
  return {.pixels = {.data = shared_.pixels().data(), .width = width, .height = height},
          .at = steady_now()};
}

}  // namespace qvid::lab
