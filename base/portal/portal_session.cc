#include "base/portal/portal_session.h"

#include <utility>

#include "base/portal/session_bus.h"

namespace qvid {
namespace {

// Of the interfaces' documentation.
constexpr const char* kRequest = "org.freedesktop.portal.Request";
constexpr const char* kSession = "org.freedesktop.portal.Session";
constexpr const char* kRegistry = "org.freedesktop.host.portal.Registry";
constexpr const char* kBus = "org.freedesktop.DBus";
constexpr std::uint32_t kDone = 0;
constexpr std::uint32_t kRefused = 1;
// The name of the desktop entry (packaging/qvid.desktop).
constexpr const char* kApplication = "qvid";

using Kind = PortalFault::Kind;

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

}  // namespace

std::string PortalSession::words_of(const GlibError& error) {
  if (error.get() == nullptr) return "no reason is told";
  std::string text = error.get()->message;
  // "GDBus.Error:org.freedesktop.DBus.Error.ServiceUnknown: The name ..."
  if (text.starts_with("GDBus.Error:")) {
    if (const auto end = text.find(": "); end != std::string::npos) text.erase(0, end + 2);
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
  return text;
}

// What is asked on one thread has its signals there, too: in a context of its own.
PortalSession::PortalSession(const std::string& interface, std::stop_token stop, OnSignal on_signal)
    : interface_("org.freedesktop.portal." + interface),
      stop_(std::move(stop)),
      on_signal_(std::move(on_signal)) {
  g_main_context_push_thread_default(context_.get());
}

PortalSession::~PortalSession() {
  for (const guint id : heard_) g_dbus_connection_signal_unsubscribe(bus_.get(), id);
  take_waiting();
  g_main_context_pop_thread_default(context_.get());
  // It closes with its last owner, without a wait. Who leaves the bus has no session and no chooser
  // any more: the portal sees to it.
  bus_.reset();
}

void PortalSession::take_waiting() {
  while (g_main_context_iteration(context_.get(), FALSE) != 0) {
  }
}

std::optional<PortalFault> PortalSession::connect() {
  const auto address = session_bus_address();
  if (!address) return PortalFault{Kind::kNoBus, address.error().message};
  GlibError error;
  bus_.reset(g_dbus_connection_new_for_address_sync(
      address->c_str(),
      static_cast<GDBusConnectionFlags>(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                        G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION),
      nullptr, cancellable_.get(), error.place()));
  if (!bus_) return PortalFault{Kind::kNoBus, words_of(error)};
  const auto hear = [&](const char* sender, const char* interface, const char* signal,
                        const char* about) {
    heard_.push_back(g_dbus_connection_signal_subscribe(
        bus_.get(), sender, interface, signal, nullptr, about, G_DBUS_SIGNAL_FLAGS_NONE,
        [](GDBusConnection*, const char*, const char* path, const char* of, const char* name,
           GVariant* parameters, gpointer self) {
          static_cast<PortalSession*>(self)->take_signal(of, name, path, parameters);
        },
        this, nullptr));
  };
  hear(kName, kRequest, "Response", nullptr);
  hear(kName, kSession, "Closed", nullptr);
  hear(kBus, kBus, "NameOwnerChanged", kName);
  if (on_signal_) hear(kName, interface_.c_str(), nullptr, nullptr);
  return std::nullopt;
}

void PortalSession::take_signal(std::string_view interface, std::string_view name,
                                std::string_view path, GVariant* parameters) {
  const auto is_of = [&](const char* type) {
    return g_variant_is_of_type(parameters, G_VARIANT_TYPE(type)) != 0;
  };
  if (interface == kSession) {
    closed_ = closed_ || session_ == path;
  } else if (interface == kRequest && is_of("(ua{sv})")) {
    Answer answer;
    GVariant* results = nullptr;
    g_variant_get(parameters, "(u@a{sv})", &answer.code, &results);
    answer.results.reset(results);
    answer_ = std::move(answer);
  } else if (interface == kBus && is_of("(sss)")) {
    // Also where another has its name by now: that one knows nothing of what was asked.
    const char* before = nullptr;
    g_variant_get(parameters, "(&s&s&s)", nullptr, &before, nullptr);
    gone_ = gone_ || *before != '\0';
  } else if (interface == interface_ && is_of("r") && g_variant_n_children(parameters) > 0) {
    const GlibOwned<GVariant> about(g_variant_get_child_value(parameters, 0));
    if (g_variant_is_of_type(about.get(), G_VARIANT_TYPE_OBJECT_PATH) != 0 &&
        session_ == g_variant_get_string(about.get(), nullptr)) {
      on_signal_(name, parameters);
    }
  }
}

GlibOwned<GVariant> PortalSession::call(const char* interface, const char* method,
                                        GVariant* arguments, const char* result, GlibError& error) {
  return GlibOwned<GVariant>(g_dbus_connection_call_sync(
      bus_.get(), kName, kPath, interface, method, arguments,
      result == nullptr ? nullptr : G_VARIANT_TYPE(result), G_DBUS_CALL_FLAGS_NONE, kCallTimeout,
      cancellable_.get(), error.place()));
}

// Who asks, before anything else is asked: some portals (from 1.21 on, for shortcuts) refuse who has
// no name. Older ones do not know the interface, and none knows who is not installed; then the
// desktop guesses, by how the program was started.
std::optional<PortalFault> PortalSession::introduce() {
  GVariantBuilder none{};
  g_variant_builder_init(&none, G_VARIANT_TYPE_VARDICT);
  GlibError error;
  call(kRegistry, "Register", g_variant_new("(sa{sv})", kApplication, &none), nullptr, error);
  if (!has_timed_out(error.get())) return std::nullopt;
  return PortalFault{Kind::kFailed, words_of(error), "answer"};
}

std::optional<PortalFault> PortalSession::open() {
  const auto or_stopped = [this](PortalFault fault) {
    return stop_.stop_requested() ? PortalFault{Kind::kStopped} : std::move(fault);
  };
  if (auto fault = connect()) return or_stopped(*std::move(fault));
  if (auto fault = introduce()) return or_stopped(*std::move(fault));
  GlibError error;
  const auto told = call("org.freedesktop.DBus.Properties", "GetAll",
                         g_variant_new("(s)", interface_.c_str()), "(a{sv})", error);
  if (!told) {
    PortalFault fault{Kind::kLacking, words_of(error)};
    if (has_timed_out(error.get())) {
      fault = {Kind::kFailed, words_of(error), "answer"};
    } else if (is_silent(error.get())) {
      fault.kind = Kind::kAbsent;
    }
    return or_stopped(std::move(fault));
  }
  properties_.reset(g_variant_get_child_value(told.get(), 0));
  return std::nullopt;
}

std::optional<PortalFault> PortalSession::begin() {
  constexpr const char* kStep = "begin";
  GVariantBuilder* const with = options();
  g_variant_builder_add(with, "{sv}", "session_handle_token", g_variant_new_string("qvid"));
  if (auto fault = request("CreateSession", g_variant_new("(a{sv})", with), kStep)) return fault;
  const char* path = nullptr;
  // A string, as the interfaces have it, or a path, as their documentation had.
  const GlibOwned<GVariant> named(g_variant_lookup_value(answer(), "session_handle", nullptr));
  if (named && (g_variant_is_of_type(named.get(), G_VARIANT_TYPE_STRING) != 0 ||
                g_variant_is_of_type(named.get(), G_VARIANT_TYPE_OBJECT_PATH) != 0)) {
    path = g_variant_get_string(named.get(), nullptr);
  }
  if (path == nullptr || g_variant_is_object_path(path) == 0) {
    return PortalFault{Kind::kFailed, "it names no session", kStep};
  }
  session_ = path;
  return std::nullopt;
}

GVariantBuilder* PortalSession::options() {
  g_variant_builder_init(&options_, G_VARIANT_TYPE_VARDICT);
  const std::string token = "qvid" + std::to_string(++requests_);
  g_variant_builder_add(&options_, "{sv}", "handle_token", g_variant_new_string(token.c_str()));
  return &options_;
}

std::optional<PortalFault> PortalSession::request(const char* method, GVariant* arguments,
                                                  const std::string& step) {
  answer_.reset();
  GlibError error;
  if (!call(interface_.c_str(), method, arguments, "(o)", error)) {
    if (stop_.stop_requested()) return PortalFault{Kind::kStopped};
    if (is_absent(error.get())) return PortalFault{Kind::kGone};
    return PortalFault{Kind::kFailed, words_of(error), step};
  }
  while (!answer_) {
    if (stop_.stop_requested()) return PortalFault{Kind::kStopped};
    if (is_gone()) return PortalFault{Kind::kGone};
    if (closed_) return PortalFault{Kind::kFailed, "it has ended the session", step};
    wait();
  }
  if (answer_->code == kRefused) return PortalFault{Kind::kRefused};
  if (answer_->code != kDone) return PortalFault{Kind::kFailed, "it says no more", step};
  return std::nullopt;
}

void PortalSession::wait() {
  if (!stop_.stop_requested()) g_main_context_iteration(context_.get(), TRUE);
}

std::optional<PortalFault> PortalSession::ended() {
  take_waiting();
  if (stop_.stop_requested()) return PortalFault{Kind::kStopped};
  if (closed_) return PortalFault{Kind::kClosed};
  if (is_gone()) return PortalFault{Kind::kGone};
  return std::nullopt;
}

}  // namespace qvid
