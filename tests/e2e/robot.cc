#include "tests/e2e/robot.h"

#include <X11/XKBlib.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>
#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace e2e {
namespace {

using Clock = std::chrono::steady_clock;
constexpr Milliseconds kLook{100};
// The X server's: to SDL, what goes down again within 2 ms was held.
constexpr unsigned long kStroke = 10;  // ms

// A window may go at any time: its errors are none of ours.
int ignore(::Display*, XErrorEvent*) { return 0; }

// As far as YCbCr keeps it.
bool alike(unsigned a, unsigned b) {
  const auto channel = [](unsigned of, int shift) {
    return static_cast<int>((of >> shift) & 0xff);
  };
  constexpr int kApart = 12;
  for (const int shift : {0, 8, 16}) {
    if (std::abs(channel(a, shift) - channel(b, shift)) > kApart) return false;
  }
  return true;
}

}  // namespace

class Robot::Impl {
 public:
  explicit Impl(const std::string& name) : display_(XOpenDisplay(name.c_str())) {
    int unused = 0;
    if (display_ == nullptr) throw std::runtime_error("no X server at " + name);
    if (!XTestQueryExtension(display_, &unused, &unused, &unused, &unused)) {
      throw std::runtime_error("an X server without XTEST");
    }
    XSetErrorHandler(ignore);
    XSelectInput(display_, root(), SubstructureNotifyMask);
  }
  ~Impl() { XCloseDisplay(display_); }

  bool focus(const std::string& title, Milliseconds at_most) {
    const auto until = Clock::now() + at_most;
    do {
      if (find(title)) {
        XSetInputFocus(display_, window_, RevertToPointerRoot, CurrentTime);
        XSync(display_, False);
        return true;
      }
      wait_a_moment();
    } while (Clock::now() < until);
    return false;
  }

  void press(KeySym symbol, bool with_shift, bool with_control = false) {
    const KeyCode code = XKeysymToKeycode(display_, symbol);
    const bool second = XkbKeycodeToKeysym(display_, code, 0, 0) != symbol &&
                        XkbKeycodeToKeysym(display_, code, 0, 1) == symbol;
    const KeyCode shift = XKeysymToKeycode(display_, XK_Shift_L);
    const KeyCode control = XKeysymToKeycode(display_, XK_Control_L);
    if (with_control) XTestFakeKeyEvent(display_, control, True, CurrentTime);
    if (second || with_shift) XTestFakeKeyEvent(display_, shift, True, CurrentTime);
    XTestFakeKeyEvent(display_, code, True, kStroke);
    XTestFakeKeyEvent(display_, code, False, kStroke);
    if (second || with_shift) XTestFakeKeyEvent(display_, shift, False, CurrentTime);
    if (with_control) XTestFakeKeyEvent(display_, control, False, CurrentTime);
    XSync(display_, False);
  }

  void set_held(const std::string& name, Bool held) {
    const KeyCode code = XKeysymToKeycode(display_, XStringToKeysym(name.c_str()));
    XTestFakeKeyEvent(display_, code, held, CurrentTime);
    XSync(display_, False);
  }

  void point(int x, int y) {
    int root_x = 0;
    int root_y = 0;
    ::Window child = 0;
    XTranslateCoordinates(display_, window_, root(), x, y, &root_x, &root_y, &child);
    XTestFakeMotionEvent(display_, -1, root_x, root_y, CurrentTime);
    XSync(display_, False);
  }

  void point_above_edge(int pixels, double part) {
    const auto [width, height] = size();
    point(static_cast<int>(part * width), height - 1 - pixels);
  }

  std::pair<int, int> size() const {
    XWindowAttributes window{};
    XGetWindowAttributes(display_, window_, &window);
    return {window.width, window.height};
  }

  Color color_above_edge(int pixels, double part) {
    XWindowAttributes window{};
    XGetWindowAttributes(display_, window_, &window);
    XImage* image = XGetImage(display_, window_, static_cast<int>(part * (window.width - 1)),
                              window.height - 1 - pixels, 1, 1, AllPlanes, ZPixmap);
    if (image == nullptr) return {};
    const unsigned long color = XGetPixel(image, 0, 0);
    XDestroyImage(image);
    const auto channel = [&](int shift) { return static_cast<int>(color >> shift & 0xff); };
    return {channel(16), channel(8), channel(0)};
  }

  void click(int x, int y) {
    point(x, y);
    XTestFakeButtonEvent(display_, Button1, True, CurrentTime);
    XTestFakeButtonEvent(display_, Button1, False, CurrentTime);
    XSync(display_, False);
  }

  void drag(int from_x, int from_y, int to_x, int to_y) {
    point(from_x, from_y);
    XTestFakeButtonEvent(display_, Button1, True, CurrentTime);
    point((from_x + to_x) / 2, (from_y + to_y) / 2);
    point(to_x, to_y);
    XTestFakeButtonEvent(display_, Button1, False, CurrentTime);
    XSync(display_, False);
  }

  void cover(const Patch& part, unsigned colour) {
    XSetWindowAttributes how{};
    how.override_redirect = True;
    how.background_pixel = colour;  // of a display of 24 bits
    const ::Window window =
        XCreateWindow(display_, root(), part.x, part.y, static_cast<unsigned>(part.width),
                      static_cast<unsigned>(part.height), 0, CopyFromParent, InputOutput,
                      CopyFromParent, CWOverrideRedirect | CWBackPixel, &how);
    XMapRaised(display_, window);
    XSync(display_, False);
  }

  std::optional<Patch> find(unsigned colour, int least, Milliseconds at_most) {
    const auto until = Clock::now() + at_most;
    do {
      if (const auto patch = look_for(colour, least)) return patch;
      wait_a_moment();
    } while (Clock::now() < until);
    return std::nullopt;
  }

  void close() {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = window_;
    event.xclient.message_type = XInternAtom(display_, "WM_PROTOCOLS", False);
    event.xclient.format = 32;
    event.xclient.data.l[0] = static_cast<long>(XInternAtom(display_, "WM_DELETE_WINDOW", False));
    XSendEvent(display_, window_, False, NoEventMask, &event);
    XSync(display_, False);
  }

 private:
  ::Window root() const { return DefaultRootWindow(display_); }

  void wait_a_moment() {
    pollfd events{ConnectionNumber(display_), POLLIN, 0};
    ::poll(&events, 1, static_cast<int>(kLook.count()));
  }

  std::optional<Patch> look_for(unsigned colour, int least) {
    XEvent event;
    while (XPending(display_) > 0) XNextEvent(display_, &event);
    XWindowAttributes window{};
    if (XGetWindowAttributes(display_, window_, &window) == 0) return std::nullopt;
    XImage* const image = XGetImage(display_, window_, 0, 0, static_cast<unsigned>(window.width),
                                    static_cast<unsigned>(window.height), AllPlanes, ZPixmap);
    if (image == nullptr) return std::nullopt;
    int left = window.width;
    int right = -1;
    int top = window.height;
    int bottom = -1;
    int longest = 0;
    for (int y = 0; y < window.height; ++y) {
      int run = 0;
      for (int x = 0; x < window.width; ++x) {
        run = alike(static_cast<unsigned>(XGetPixel(image, x, y)), colour) ? run + 1 : 0;
        longest = std::max(longest, run);
        if (run == 0) continue;
        left = std::min(left, x);
        right = std::max(right, x);
        top = std::min(top, y);
        bottom = std::max(bottom, y);
      }
    }
    XDestroyImage(image);
    if (longest < least) return std::nullopt;
    return Patch{left, top, right - left + 1, bottom - top + 1};
  }

  // Into window_. Without a window manager windows are the root's children.
  bool find(const std::string& title) {
    XEvent event;
    while (XPending(display_) > 0) XNextEvent(display_, &event);
    ::Window unused = 0;
    ::Window* children = nullptr;
    unsigned count = 0;
    if (XQueryTree(display_, root(), &unused, &unused, &children, &count) == 0) return false;
    bool found = false;
    for (unsigned i = 0; i < count && !found; ++i) {
      XSelectInput(display_, children[i], PropertyChangeMask);
      XWindowAttributes attributes{};
      char* name = nullptr;
      XGetWindowAttributes(display_, children[i], &attributes);
      XFetchName(display_, children[i], &name);
      found = attributes.map_state == IsViewable && name != nullptr && title == name;
      if (found) window_ = children[i];
      if (name != nullptr) XFree(name);
    }
    if (children != nullptr) XFree(children);
    return found;
  }

  ::Display* display_;
  ::Window window_ = 0;
};

Robot::Robot(const std::string& display) : impl_(std::make_unique<Impl>(display)) {}
Robot::~Robot() = default;

bool Robot::focus(const std::string& title, Milliseconds at_most) {
  return impl_->focus(title, at_most);
}

void Robot::type(const std::string& ascii) {
  for (const char c : ascii) impl_->press(static_cast<KeySym>(c), false);  // Latin-1's are so
}

void Robot::key(const std::string& name, int times) {
  const bool shift = name.starts_with("shift+");
  const bool control = name.starts_with("ctrl+");
  const std::size_t plus = shift || control ? name.find('+') + 1 : 0;
  const KeySym symbol = XStringToKeysym(name.substr(plus).c_str());
  for (int i = 0; i < times; ++i) impl_->press(symbol, shift, control);
}

void Robot::hold(const std::string& name) { impl_->set_held(name, True); }
void Robot::release(const std::string& name) { impl_->set_held(name, False); }
void Robot::click(int x, int y) { impl_->click(x, y); }
std::pair<int, int> Robot::size() const { return impl_->size(); }
void Robot::point_above_edge(int pixels, double part) { impl_->point_above_edge(pixels, part); }
void Robot::drag(int from_x, int from_y, int to_x, int to_y) {
  impl_->drag(from_x, from_y, to_x, to_y);
}
void Robot::cover(const Patch& part, unsigned colour) { impl_->cover(part, colour); }
std::optional<Patch> Robot::find(unsigned colour, int least, Milliseconds at_most) {
  return impl_->find(colour, least, at_most);
}
void Robot::close() { impl_->close(); }
Robot::Color Robot::color_above_edge(int pixels, double part) {
  return impl_->color_above_edge(pixels, part);
}

}  // namespace e2e
