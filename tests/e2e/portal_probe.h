// What the halves of portal_probe share: a name on the session's bus, and requests that are answered.
#pragma once

#include <gio/gio.h>

#include <cstdint>
#include <string>

namespace e2e {

inline constexpr const char* kPortalPath = "/org/freedesktop/portal/desktop";

struct ProbeBus {
  std::string what;
  GMainLoop* loop = g_main_loop_new(nullptr, FALSE);
  GDBusConnection* bus = nullptr;
  std::string session;
  std::string asker;
};

// Returns the path of the request, and its response; takes `results`.
void answer(ProbeBus& probe, GVariant* options, std::uint32_t code, GVariant* results,
            GDBusMethodInvocation* call);
void close_session(ProbeBus& probe);

// Those of portal_probe_keys.cc; `probe` stays.
void offer_keys(ProbeBus& probe);

}  // namespace e2e
