#include "lab/glass/clock_window.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "lab/glass/clock_time.h"
#include "lab/glass/strip.h"

namespace qvid::lab {
namespace {

constexpr std::uint16_t kWide = kClockWidth;
constexpr std::uint16_t kHigh = kClockHeight;

}  // namespace

ClockWindow::ClockWindow(const std::string& display)
    : display_(display),
      shared_(display_, std::size_t{kWide} * kHigh),
      window_(xcb_generate_id(display_.connection())),
      context_(xcb_generate_id(display_.connection())) {
  xcb_connection_t* c = display_.connection();
  const xcb_screen_t& screen = display_.screen();
  // There is no window manager that would have a say.
  const std::array<std::uint32_t, 2> values{1, XCB_EVENT_MASK_VISIBILITY_CHANGE};
  xcb_create_window(c, XCB_COPY_FROM_PARENT, window_, screen.root, 0, 0, kWide, kHigh, 0,
                    XCB_WINDOW_CLASS_INPUT_OUTPUT, screen.root_visual,
                    XCB_CW_OVERRIDE_REDIRECT | XCB_CW_EVENT_MASK, values.data());
  xcb_create_gc(c, context_, window_, 0, nullptr);
  hide_pointer();
  xcb_map_window(c, window_);
  display_.sync();
}

// Capturers paint the pointer into their pictures: it gets no shape here, and goes to a corner.
void ClockWindow::hide_pointer() const {
  xcb_connection_t* c = display_.connection();
  constexpr std::uint16_t kSide = 8;
  const xcb_pixmap_t blank = xcb_generate_id(c);
  const xcb_gcontext_t context = xcb_generate_id(c);
  const xcb_cursor_t cursor = xcb_generate_id(c);
  xcb_create_pixmap(c, 1, blank, window_, kSide, kSide);
  const std::uint32_t none = 0;
  xcb_create_gc(c, context, blank, XCB_GC_FOREGROUND, &none);
  const xcb_rectangle_t all{0, 0, kSide, kSide};
  xcb_poly_fill_rectangle(c, blank, context, 1, &all);
  xcb_create_cursor(c, cursor, blank, blank, 0, 0, 0, 0, 0, 0, 0, 0);
  xcb_change_window_attributes(c, window_, XCB_CW_CURSOR, &cursor);
  xcb_warp_pointer(c, XCB_NONE, window_, 0, 0, 0, 0, kWide - 1, kHigh - 1);
  xcb_free_gc(c, context);
  xcb_free_pixmap(c, blank);
}

// A sender's own window opens on this display, too.
void ClockWindow::stay_on_top() const {
  xcb_connection_t* c = display_.connection();
  while (const XReply<xcb_generic_event_t> event{xcb_poll_for_event(c)}) {
    if ((event->response_type & 0x7f) != XCB_VISIBILITY_NOTIFY) continue;
    if (reinterpret_cast<const xcb_visibility_notify_event_t*>(event.get())->state ==
        XCB_VISIBILITY_UNOBSCURED) {
      continue;
    }
    const std::uint32_t above = XCB_STACK_MODE_ABOVE;
    xcb_configure_window(c, window_, XCB_CONFIG_WINDOW_STACK_MODE, &above);
  }
}

Timestamp ClockWindow::prepare(Timestamp now) {
  const std::int64_t number = number_at(now) + 1;
  const Pixels drawn = picture_.draw(number);
  std::copy_n(drawn.data, shared_.pixels().size(), shared_.pixels().data());
  return time_of_number(number);
}

void ClockWindow::show() {
  stay_on_top();
  xcb_shm_put_image(display_.connection(), window_, context_, kWide, kHigh, 0, 0, kWide, kHigh, 0,
                    0, display_.screen().root_depth, XCB_IMAGE_FORMAT_Z_PIXMAP, 0,
                    shared_.segment(), 0);
  display_.sync();
}

}  // namespace qvid::lab
