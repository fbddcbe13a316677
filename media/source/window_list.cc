#include "media/source/window_list.h"

#include <unistd.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "media/source/x_authority.h"

namespace qvid::media {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <class T>
using Reply = std::unique_ptr<T, Free>;

struct Disconnect {
  void operator()(xcb_connection_t* connection) const { xcb_disconnect(connection); }
};

// An error of a request is an empty reply: a window may go while it is asked about. All windows are
// asked before the first answer is waited for: a display may be far away.
class WindowLister {
 public:
  explicit WindowLister(xcb_connection_t& connection) : c_(&connection) {
    std::array<xcb_intern_atom_cookie_t, kNames.size()> cookies{};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      cookies[i] =
          xcb_intern_atom(c_, 1, static_cast<std::uint16_t>(kNames[i].size()), kNames[i].data());
    }
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const Reply<xcb_intern_atom_reply_t> reply(xcb_intern_atom_reply(c_, cookies[i], nullptr));
      atoms_[i] = reply ? reply->atom : xcb_atom_t{XCB_ATOM_NONE};
    }
  }

  // But for those of this program.
  std::vector<ShownWindow> list(xcb_window_t root) {
    std::vector<Asked> asked;
    for (const xcb_window_t window : windows(root)) asked.push_back(ask(window));
    std::vector<ShownWindow> shown;
    for (const Asked& one : asked) {
      const PropertyReply process = reply(one.process);
      const AttributesReply about(xcb_get_window_attributes_reply(c_, one.about, nullptr));
      std::string title = text_of(reply(one.title));
      const std::string old_title = text_of(reply(one.old_title));
      if (title.empty()) title = old_title;
      const bool seen = about && about->map_state == XCB_MAP_STATE_VIEWABLE;
      if (title.empty() || !seen || is_own(process) || shown.size() == kMostWindows) continue;
      shown.push_back({one.window, std::move(title)});
    }
    return shown;
  }

 private:
  enum Name : std::size_t { kTitle, kOldTitle, kProcess, kClients };
  static constexpr std::array<std::string_view, 4> kNames{"_NET_WM_NAME", "WM_NAME", "_NET_WM_PID",
                                                          "_NET_CLIENT_LIST"};
  using PropertyReply = Reply<xcb_get_property_reply_t>;
  using AttributesReply = Reply<xcb_get_window_attributes_reply_t>;
  struct Asked {
    xcb_window_t window;
    xcb_get_property_cookie_t title;
    xcb_get_property_cookie_t old_title;
    xcb_get_property_cookie_t process;
    xcb_get_window_attributes_cookie_t about;
  };

  Asked ask(xcb_window_t window) {
    return {.window = window,
            .title = property(window, kTitle, kLongestTitle),
            .old_title = property(window, kOldTitle, kLongestTitle),
            .process = property(window, kProcess, sizeof(std::uint32_t)),
            .about = xcb_get_window_attributes(c_, window)};
  }
  xcb_get_property_cookie_t property(xcb_window_t window, Name name, std::size_t most_bytes) {
    return xcb_get_property(c_, 0, window, atoms_[name], XCB_GET_PROPERTY_TYPE_ANY, 0,
                            static_cast<std::uint32_t>(most_bytes / 4));
  }
  PropertyReply reply(xcb_get_property_cookie_t cookie) {
    return PropertyReply(xcb_get_property_reply(c_, cookie, nullptr));
  }
  static std::string text_of(const PropertyReply& reply) {
    if (!reply || reply->format != 8) return {};
    return {static_cast<const char*>(xcb_get_property_value(reply.get())),
            static_cast<std::size_t>(xcb_get_property_value_length(reply.get()))};
  }
  static bool is_own(const PropertyReply& process) {
    if (!process || process->format != 32 || process->value_len != 1) return false;
    return *static_cast<const std::uint32_t*>(xcb_get_property_value(process.get())) ==
           static_cast<std::uint32_t>(::getpid());
  }
  std::vector<xcb_window_t> windows(xcb_window_t root) {
    constexpr std::size_t kMostAsked = 1024;
    const PropertyReply listed = reply(property(root, kClients, kMostAsked * sizeof(xcb_window_t)));
    if (listed && listed->format == 32 && listed->value_len > 0) {
      const auto* first = static_cast<const xcb_window_t*>(xcb_get_property_value(listed.get()));
      return {first, first + listed->value_len};
    }
    const Reply<xcb_query_tree_reply_t> tree(
        xcb_query_tree_reply(c_, xcb_query_tree(c_, root), nullptr));
    if (!tree) return {};
    const auto* first = xcb_query_tree_children(tree.get());
    const auto count = static_cast<std::size_t>(xcb_query_tree_children_length(tree.get()));
    return {first, first + std::min(count, kMostAsked)};
  }

  xcb_connection_t* c_;
  std::array<xcb_atom_t, kNames.size()> atoms_{};
};

}  // namespace

std::optional<ShownScreen> look_at_screen(const std::string& display) {
  name_x_authority();
  int number = 0;
  const std::unique_ptr<xcb_connection_t, Disconnect> connection(
      xcb_connect(display.c_str(), &number));
  if (xcb_connection_has_error(connection.get()) != 0) return {};
  auto screens = xcb_setup_roots_iterator(xcb_get_setup(connection.get()));
  for (; screens.rem > 1 && number > 0; --number) xcb_screen_next(&screens);
  const xcb_screen_t& screen = *screens.data;
  return ShownScreen{.size = {screen.width_in_pixels, screen.height_in_pixels},
                     .windows = WindowLister(*connection).list(screen.root)};
}

}  // namespace qvid::media
