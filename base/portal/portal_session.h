// A session with the desktop's portal (xdg-desktop-portal), over D-Bus: what all of its interfaces
// with sessions have in common.
//
//   open -> begin -> request, one after the other -> ended, again and again
//
// A request is a call whose answer comes as a signal (Response), for a person may have to be asked.
// The session ends by the signal Closed, with the portal, or with this object, which leaves the bus.
//
// By GLib's GDBus rather than libportal, which closes a request that is cancelled and does not answer
// it, does not watch whether the portal dies, and does not pass on why OpenPipeWireRemote has failed.
//
// Thread: made, used and destroyed on one, whose main context it has meanwhile; GDBus has one of its
// own, which takes nothing of ours. All waits end by the stop token, those for a call after 30 s, and
// those for an answer when it comes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/portal/glib_owned.h"
#include "base/portal/portal_fault.h"

namespace qvid {

class PortalSession {
 public:
  // A signal of the interface, about this session; out of request(), wait() and ended().
  using OnSignal = std::function<void(std::string_view name, GVariant* parameters)>;

  // `interface`: as "ScreenCast". Nothing is asked yet.
  PortalSession(const std::string& interface, std::stop_token stop, OnSignal on_signal = {});
  ~PortalSession();
  PortalSession(const PortalSession&) = delete;
  PortalSession& operator=(const PortalSession&) = delete;

  // To the bus, and to the portal's properties of that interface: a{sv}, until this is destroyed.
  std::optional<PortalFault> open();
  GVariant* properties() const { return properties_.get(); }
  // After open().
  std::optional<PortalFault> begin();
  const char* path() const { return session_.c_str(); }

  // The options of the next request, with its token: to be added to, then given to it.
  GVariantBuilder* options();
  // `arguments`: floating, taken. `step`: what for, told where it fails. Its results: answer(), a{sv},
  // until the next one.
  std::optional<PortalFault> request(const char* method, GVariant* arguments,
                                     const std::string& step);
  GVariant* answer() const { return answer_->results.get(); }

  // Until something has come, or stop was asked for; then ended() tells.
  void wait();
  // Does not wait.
  std::optional<PortalFault> ended();

  // For a call that is none of the above. Precondition: open.
  const std::string& interface() const { return interface_; }
  GDBusConnection* bus() const { return bus_.get(); }
  GCancellable* cancellable() const { return cancellable_.get(); }
  static constexpr const char* kName = "org.freedesktop.portal.Desktop";
  static constexpr const char* kPath = "/org/freedesktop/portal/desktop";
  // A call is answered at once, but for the time that the portal takes to start: the bus gives it
  // 25 s, and tells more than a time-out here.
  static constexpr int kCallTimeout = 30'000;  // ms
  static std::string words_of(const GlibError& error);

 private:
  struct Answer {
    std::uint32_t code = 0;
    GlibOwned<GVariant> results;
  };

  std::optional<PortalFault> connect();
  std::optional<PortalFault> introduce();
  GlibOwned<GVariant> call(const char* interface, const char* method, GVariant* arguments,
                           const char* result, GlibError& error);
  void take_signal(std::string_view interface, std::string_view name, std::string_view path,
                   GVariant* parameters);
  bool is_gone() const { return gone_ || g_dbus_connection_is_closed(bus_.get()) != 0; }
  void take_waiting();

  const std::string interface_;
  const std::stop_token stop_;
  const OnSignal on_signal_;
  GlibOwned<GMainContext> context_{g_main_context_new()};
  GlibOwned<GCancellable> cancellable_{g_cancellable_new()};
  GlibOwned<GDBusConnection> bus_;
  std::vector<guint> heard_;  // subscriptions
  int requests_ = 0;
  GVariantBuilder options_{};
  GlibOwned<GVariant> properties_;
  std::string session_;           // its path
  std::optional<Answer> answer_;  // to the request that waits: there is one at a time
  bool closed_ = false;
  bool gone_ = false;
  // The first ends a call that is waited for, the second the wait for a signal.
  std::stop_callback<std::function<void()>> end_{stop_, [this] {
                                                   g_cancellable_cancel(cancellable_.get());
                                                   g_main_context_wakeup(context_.get());
                                                 }};
};

}  // namespace qvid
