#include "media/source/window_list.h"

#include <xcb/xcb.h>

#include <algorithm>
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

// An error of a request is an empty reply: a window may go while it is asked about.
class WindowLister {
 public:
  explicit WindowLister(xcb_connection_t& connection) : c_(&connection) {}

  std::vector<ShownWindow> list(xcb_window_t root) {
    std::vector<ShownWindow> shown;
    for (const xcb_window_t window : windows(root)) {
      if (shown.size() == kMostWindows) break;
      std::string title = text_of(window, "_NET_WM_NAME");
      if (title.empty()) title = text_of(window, "WM_NAME");
      if (!title.empty() && is_seen(window)) shown.push_back({window, std::move(title)});
    }
    return shown;
  }

 private:
  xcb_atom_t atom(std::string_view name) {
    const Reply<xcb_intern_atom_reply_t> reply(xcb_intern_atom_reply(
        c_, xcb_intern_atom(c_, 1, static_cast<std::uint16_t>(name.size()), name.data()), nullptr));
    return reply ? reply->atom : xcb_atom_t{XCB_ATOM_NONE};
  }
  Reply<xcb_get_property_reply_t> property(xcb_window_t window, std::string_view name,
                                           std::size_t most_bytes) {
    return Reply<xcb_get_property_reply_t>(xcb_get_property_reply(
        c_,
        xcb_get_property(c_, 0, window, atom(name), XCB_GET_PROPERTY_TYPE_ANY, 0,
                         static_cast<std::uint32_t>(most_bytes / 4)),
        nullptr));
  }
  std::string text_of(xcb_window_t window, std::string_view name) {
    const auto reply = property(window, name, kLongestTitle);
    if (!reply || reply->format != 8) return {};
    return {static_cast<const char*>(xcb_get_property_value(reply.get())),
            static_cast<std::size_t>(xcb_get_property_value_length(reply.get()))};
  }
  std::vector<xcb_window_t> windows(xcb_window_t root) {
    constexpr std::size_t kMostAsked = 1024;
    const auto listed = property(root, "_NET_CLIENT_LIST", kMostAsked * sizeof(xcb_window_t));
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
  bool is_seen(xcb_window_t window) {
    const Reply<xcb_get_window_attributes_reply_t> about(
        xcb_get_window_attributes_reply(c_, xcb_get_window_attributes(c_, window), nullptr));
    return about && about->map_state == XCB_MAP_STATE_VIEWABLE;
  }

  xcb_connection_t* c_;
};

}  // namespace

std::vector<ShownWindow> list_windows(const std::string& display) {
  name_x_authority();
  int number = 0;
  const std::unique_ptr<xcb_connection_t, Disconnect> connection(
      xcb_connect(display.c_str(), &number));
  if (xcb_connection_has_error(connection.get()) != 0) return {};
  auto screens = xcb_setup_roots_iterator(xcb_get_setup(connection.get()));
  for (; screens.rem > 1 && number > 0; --number) xcb_screen_next(&screens);
  return WindowLister(*connection).list(screens.data->root);
}

}  // namespace qvid::media
