#include "media/source/desktop_portal.h"

#include <gio/gunixfdlist.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "media/source/glib_owned.h"
#include "media/source/portal_errors.h"

namespace qvid::media {
namespace {

// Of the interface's documentation.
constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPortalPath = "/org/freedesktop/portal/desktop";
constexpr const char* kScreenCast = "org.freedesktop.portal.ScreenCast";
constexpr const char* kRequest = "org.freedesktop.portal.Request";
constexpr const char* kSession = "org.freedesktop.portal.Session";
constexpr const char* kBus = "org.freedesktop.DBus";
constexpr std::uint32_t kMonitors = 1;
constexpr std::uint32_t kWindows = 2;
constexpr std::uint32_t kEmbeddedCursor = 2;  // drawn into the pictures
constexpr std::uint32_t kDone = 0;
constexpr std::uint32_t kRefused = 1;
// A call is answered at once, but for the time that the portal takes to start: the bus gives it 25 s,
// and tells more than a time-out here. Only the person may take longer, whose answer is a signal.
constexpr int kCallTimeout = 30'000;  // ms

std::string words_of(const GlibError& error) {
  if (error.get() == nullptr) return "no reason is told";
  std::string text = error.get()->message;
  // "GDBus.Error:org.freedesktop.DBus.Error.ServiceUnknown: The name ..."
  if (text.starts_with("GDBus.Error:")) {
    if (const auto end = text.find(": "); end != std::string::npos) text.erase(0, end + 2);
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
  return text;
}

// The portal has left the bus, or was never there.
bool is_absent(const GError* error) {
  return g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN) != 0 ||
         g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER) != 0 ||
         g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY) != 0;
}

// It is there, or on its way, but has not answered.
bool has_timed_out(const GError* error) {
  return g_error_matches(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT) != 0 ||
         g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_TIMED_OUT) != 0 ||
         g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_TIMEOUT) != 0;
}

// Nobody answers by its name: nor does the bus, or what was to start it.
bool is_silent(const GError* error) {
  return error == nullptr || is_absent(error) || error->domain == G_IO_ERROR ||
         (error->domain == G_DBUS_ERROR && error->code >= G_DBUS_ERROR_SPAWN_EXEC_FAILED &&
          error->code <= G_DBUS_ERROR_SPAWN_NO_MEMORY);
}

// What is asked on one thread has its signals there, too: in a context of its own.
class AskedPortal final : public DesktopPortal {
 public:
  explicit AskedPortal(const std::stop_token& stop) : stop_(stop) {
    g_main_context_push_thread_default(context_.get());
  }
  ~AskedPortal() override {
    for (const guint id : heard_) g_dbus_connection_signal_unsubscribe(connection_.get(), id);
    while (g_main_context_iteration(context_.get(), FALSE) != 0) {
    }
    g_main_context_pop_thread_default(context_.get());
    // It closes with its last owner, without a wait. Who leaves the bus has no session and no chooser
    // any more: the portal sees to it.
    connection_.reset();
  }

  Result<bool> ask();
  Choice& choice() override { return choice_; }
  std::optional<Error> ended() override {
    while (g_main_context_iteration(context_.get(), FALSE) != 0) {
    }
    if (closed_) return sharing_ended("by its own button, or what was shown is gone");
    if (is_gone()) return sharing_ended("its portal is gone");
    return std::nullopt;
  }

 private:
  bool is_gone() const { return gone_ || g_dbus_connection_is_closed(connection_.get()) != 0; }

  struct Answer {
    std::uint32_t code = 0;
    GlibOwned<GVariant> results;
  };

  std::optional<Error> connect();
  Result<std::uint32_t> kinds();
  GlibOwned<GVariant> call(const char* interface, const char* method, GVariant* arguments,
                           const char* result, GlibError& error);
  Result<Answer> request(const char* method, GVariant* arguments, const std::string& what);
  std::optional<Error> take_choice(const Answer& answer);
  std::optional<Error> open_pipewire();
  GVariantBuilder* options();  // with the token of a request that is next

  static void on_signal(GDBusConnection*, const char*, const char* path, const char* interface,
                        const char* signal, GVariant* parameters, gpointer self);

  std::stop_token stop_;
  GlibOwned<GMainContext> context_{g_main_context_new()};
  GlibOwned<GCancellable> cancellable_{g_cancellable_new()};
  GlibOwned<GDBusConnection> connection_;
  std::vector<guint> heard_;
  int requests_ = 0;
  std::uint32_t cursors_ = 0;     // modes that it has
  std::string session_;           // its path
  std::optional<Answer> answer_;  // to the request that waits: there is one at a time
  bool closed_ = false;
  bool gone_ = false;
  GVariantBuilder options_{};
  Choice choice_;
};

void AskedPortal::on_signal(GDBusConnection*, const char*, const char* path, const char* interface,
                            const char*, GVariant* parameters, gpointer self) {
  auto& portal = *static_cast<AskedPortal*>(self);
  const std::string_view of = interface;
  if (of == kSession) {
    portal.closed_ = portal.closed_ || portal.session_ == path;
  } else if (of == kRequest && g_variant_is_of_type(parameters, G_VARIANT_TYPE("(ua{sv})")) != 0) {
    Answer answer;
    GVariant* results = nullptr;
    g_variant_get(parameters, "(u@a{sv})", &answer.code, &results);
    answer.results.reset(results);
    portal.answer_ = std::move(answer);
  } else if (of == kBus && g_variant_is_of_type(parameters, G_VARIANT_TYPE("(sss)")) != 0) {
    // Also where another has its name by now: that one knows nothing of what was asked.
    const char* before = nullptr;
    g_variant_get(parameters, "(&s&s&s)", nullptr, &before, nullptr);
    portal.gone_ = portal.gone_ || *before != '\0';
  }
}

std::optional<Error> AskedPortal::connect() {
  const auto address = session_bus_address();
  if (!address) return address.error();
  GlibError error;
  connection_.reset(g_dbus_connection_new_for_address_sync(
      address->c_str(),
      static_cast<GDBusConnectionFlags>(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                        G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION),
      nullptr, cancellable_.get(), error.place()));
  if (!connection_) return no_session_bus(words_of(error));
  const auto hear = [&](const char* sender, const char* interface, const char* signal,
                        const char* about) {
    heard_.push_back(g_dbus_connection_signal_subscribe(
        connection_.get(), sender, interface, signal, nullptr, about, G_DBUS_SIGNAL_FLAGS_NONE,
        on_signal, this, nullptr));
  };
  hear(kPortal, kRequest, "Response", nullptr);
  hear(kPortal, kSession, "Closed", nullptr);
  hear(kBus, kBus, "NameOwnerChanged", kPortal);
  return std::nullopt;
}

GlibOwned<GVariant> AskedPortal::call(const char* interface, const char* method,
                                      GVariant* arguments, const char* result, GlibError& error) {
  return GlibOwned<GVariant>(g_dbus_connection_call_sync(
      connection_.get(), kPortal, kPortalPath, interface, method, arguments, G_VARIANT_TYPE(result),
      G_DBUS_CALL_FLAGS_NONE, kCallTimeout, cancellable_.get(), error.place()));
}

GVariantBuilder* AskedPortal::options() {
  g_variant_builder_init(&options_, G_VARIANT_TYPE_VARDICT);
  const std::string token = "qvid" + std::to_string(++requests_);
  g_variant_builder_add(&options_, "{sv}", "handle_token", g_variant_new_string(token.c_str()));
  return &options_;
}

// What it can show: a sum of kMonitors and kWindows.
Result<std::uint32_t> AskedPortal::kinds() {
  GlibError error;
  const auto told = call("org.freedesktop.DBus.Properties", "GetAll",
                         g_variant_new("(s)", kScreenCast), "(a{sv})", error);
  if (!told) {
    const std::string why = words_of(error);
    if (has_timed_out(error.get())) return portal_failed("answer", why);
    return is_silent(error.get()) ? no_portal(why) : no_screen_cast(why);
  }
  const GlibOwned<GVariant> all(g_variant_get_child_value(told.get(), 0));
  guint32 kinds = 0;
  g_variant_lookup(all.get(), "AvailableSourceTypes", "u", &kinds);
  g_variant_lookup(all.get(), "AvailableCursorModes", "u", &cursors_);
  kinds &= kMonitors | kWindows;
  if (kinds == 0) return no_screen_cast("it offers neither screens nor windows");
  return kinds;
}

// A method whose answer comes later, as a signal.
Result<AskedPortal::Answer> AskedPortal::request(const char* method, GVariant* arguments,
                                                 const std::string& what) {
  answer_.reset();
  GlibError error;
  if (!call(kScreenCast, method, arguments, "(o)", error)) {
    if (stop_.stop_requested()) return stopped_asking();
    return is_absent(error.get()) ? portal_gone() : portal_failed(what, words_of(error));
  }
  while (!answer_) {
    if (stop_.stop_requested()) return stopped_asking();
    if (is_gone()) return portal_gone();
    if (closed_) return portal_failed(what, "it has ended the session");
    g_main_context_iteration(context_.get(), TRUE);
  }
  if (answer_->code == kRefused) return not_allowed();
  if (answer_->code != kDone) return portal_failed(what, "it says no more");
  return *std::exchange(answer_, std::nullopt);
}

std::optional<Error> AskedPortal::take_choice(const Answer& answer) {
  const GlibOwned<GVariant> streams(
      g_variant_lookup_value(answer.results.get(), "streams", G_VARIANT_TYPE("a(ua{sv})")));
  if (!streams || g_variant_n_children(streams.get()) == 0) {
    return portal_failed("show a screen", "it names none");
  }
  GVariant* about = nullptr;
  g_variant_get_child(streams.get(), 0, "(u@a{sv})", &choice_.node, &about);
  const GlibOwned<GVariant> details(about);
  guint32 kind = kMonitors;
  g_variant_lookup(details.get(), "source_type", "u", &kind);
  choice_.is_window = kind == kWindows;
  return std::nullopt;
}

std::optional<Error> AskedPortal::open_pipewire() {
  GVariantBuilder none{};
  g_variant_builder_init(&none, G_VARIANT_TYPE_VARDICT);
  GlibError error;
  GUnixFDList* received = nullptr;
  const GlibOwned<GVariant> answer(g_dbus_connection_call_with_unix_fd_list_sync(
      connection_.get(), kPortal, kPortalPath, kScreenCast, "OpenPipeWireRemote",
      g_variant_new("(oa{sv})", session_.c_str(), &none), G_VARIANT_TYPE("(h)"),
      G_DBUS_CALL_FLAGS_NONE, kCallTimeout, nullptr, &received, cancellable_.get(), error.place()));
  const GlibOwned<GUnixFDList> files(received);
  if (!answer || !files) return no_pipewire(words_of(error));
  gint32 index = 0;
  g_variant_get(answer.get(), "(h)", &index);
  if (index < 0 || index >= g_unix_fd_list_get_length(files.get())) {
    return no_pipewire("the portal hands over no connection");
  }
  choice_.pipewire = OwnedFile(g_unix_fd_list_get(files.get(), index, error.place()));
  if (choice_.pipewire.get() < 0) return no_pipewire(words_of(error));
  return std::nullopt;
}

// True; or why not.
Result<bool> AskedPortal::ask() {
  // The first ends a call that is waited for, the second the wait for a signal.
  const std::stop_callback end(stop_, [this] {
    g_cancellable_cancel(cancellable_.get());
    g_main_context_wakeup(context_.get());
  });
  const auto or_stopped = [&](Error error) {
    return stop_.stop_requested() ? stopped_asking() : std::move(error);
  };
  if (auto error = connect()) return or_stopped(*std::move(error));
  const auto offered = kinds();
  if (!offered) return or_stopped(offered.error());

  GVariantBuilder* with = options();
  g_variant_builder_add(with, "{sv}", "session_handle_token", g_variant_new_string("qvid"));
  const auto begun = request("CreateSession", g_variant_new("(a{sv})", with), "begin");
  if (!begun) return begun.error();
  const char* path = nullptr;
  // A string, as the interface has it, or a path, as its documentation has.
  const GlibOwned<GVariant> named(
      g_variant_lookup_value(begun->results.get(), "session_handle", nullptr));
  if (named && (g_variant_is_of_type(named.get(), G_VARIANT_TYPE_STRING) != 0 ||
                g_variant_is_of_type(named.get(), G_VARIANT_TYPE_OBJECT_PATH) != 0)) {
    path = g_variant_get_string(named.get(), nullptr);
  }
  if (path == nullptr || g_variant_is_object_path(path) == 0) {
    return portal_failed("begin", "it names no session");
  }
  session_ = path;

  with = options();
  g_variant_builder_add(with, "{sv}", "types", g_variant_new_uint32(*offered));
  g_variant_builder_add(with, "{sv}", "multiple", g_variant_new_boolean(FALSE));
  if ((cursors_ & kEmbeddedCursor) != 0) {
    g_variant_builder_add(with, "{sv}", "cursor_mode", g_variant_new_uint32(kEmbeddedCursor));
  }
  const auto selected = request("SelectSources", g_variant_new("(oa{sv})", session_.c_str(), with),
                                "let you choose a screen");
  if (!selected) return selected.error();

  const auto started = request("Start", g_variant_new("(osa{sv})", session_.c_str(), "", options()),
                               "show a screen");
  if (!started) return started.error();
  if (auto error = take_choice(*started)) return *std::move(error);
  if (auto error = open_pipewire()) return or_stopped(*std::move(error));
  return true;
}

}  // namespace

// As D-Bus' own libraries look for it, but that none is started for a desktop without one.
Result<std::string> session_bus_address() {
  if (const char* named = std::getenv("DBUS_SESSION_BUS_ADDRESS");
      named != nullptr && *named != '\0') {
    if (g_dbus_is_supported_address(named, nullptr) == 0) {
      return no_session_bus("DBUS_SESSION_BUS_ADDRESS is no address of a bus: " +
                            std::string(named));
    }
    return std::string(named);
  }
  const char* const folder = std::getenv("XDG_RUNTIME_DIR");
  if (folder == nullptr || *folder == '\0') {
    return no_session_bus("DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR are not set");
  }
  const std::string socket = std::string(folder) + "/bus";
  if (std::error_code ignored; !std::filesystem::exists(socket, ignored)) {
    return no_session_bus("DBUS_SESSION_BUS_ADDRESS is not set, and there is no " + socket);
  }
  const GlibOwned<char> escaped(g_dbus_address_escape_value(socket.c_str()));
  return std::string("unix:path=") + escaped.get();
}

Result<std::unique_ptr<DesktopPortal>> DesktopPortal::ask(const std::stop_token& stop) {
  auto portal = std::make_unique<AskedPortal>(stop);
  const auto asked = portal->ask();
  if (!asked) return asked.error();
  return std::unique_ptr<DesktopPortal>(std::move(portal));
}

}  // namespace qvid::media
