// Global shortcuts of portal_probe:
//
//   keys         each who asks gets the key that it prefers, and only who has said its name may ask
//   keys-old     the same, of a portal that knows no names
//   keys-unset   it is bound, but has no key
//   keys-none    the person has chosen none
//   keys-refuse  the person closes the dialog
//   keys-wait    the dialog stays open
//
// SIGUSR1: the key goes down. SIGUSR2: it goes up, and somebody else's goes down. SIGHUP: the desktop has
// ended it. SIGWINCH: it is Hyper from now on.
#include <gio/gio.h>
#include <glib-unix.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "tests/e2e/portal_probe.h"

namespace e2e {
namespace {

constexpr const char* kShortcuts = "org.freedesktop.portal.GlobalShortcuts";
constexpr const char* kKeysInterface = R"xml(<node>
<interface name="org.freedesktop.portal.GlobalShortcuts">
 <method name="CreateSession"><arg type="a{sv}" direction="in"/><arg type="o" direction="out"/></method>
 <method name="BindShortcuts"><arg type="o" direction="in"/><arg type="a(sa{sv})" direction="in"/>
  <arg type="s" direction="in"/><arg type="a{sv}" direction="in"/><arg type="o" direction="out"/></method>
 <signal name="Activated"><arg type="o"/><arg type="s"/><arg type="t"/><arg type="a{sv}"/></signal>
 <signal name="Deactivated"><arg type="o"/><arg type="s"/><arg type="t"/><arg type="a{sv}"/></signal>
 <signal name="ShortcutsChanged"><arg type="o"/><arg type="a(sa{sv})"/></signal>
 <property name="version" type="u" access="read"/>
</interface>
<interface name="org.freedesktop.host.portal.Registry">
 <method name="Register"><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/></method>
</interface></node>)xml";

std::string registered;  // who has said its name

// a(sa{sv}), floating.
GVariant* bound(const char* trigger) {
  GVariantBuilder all{};
  g_variant_builder_init(&all, G_VARIANT_TYPE("a(sa{sv})"));
  g_variant_builder_open(&all, G_VARIANT_TYPE("(sa{sv})"));
  g_variant_builder_add(&all, "s", "talk");
  g_variant_builder_open(&all, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add(&all, "{sv}", "trigger_description", g_variant_new_string(trigger));
  g_variant_builder_close(&all);
  g_variant_builder_close(&all);
  return g_variant_builder_end(&all);
}

void bind(ProbeBus& probe, GVariant* arguments, GVariant* options, GDBusMethodInvocation* call) {
  GVariant* const wanted = g_variant_get_child_value(arguments, 1);
  char* const text = g_variant_print(wanted, FALSE);
  std::fprintf(stderr, "bind %s\n", text);
  g_free(text);
  const char* id = nullptr;
  GVariant* about = nullptr;
  g_variant_get_child(wanted, 0, "(&s@a{sv})", &id, &about);
  const char* trigger = "";
  g_variant_lookup(about, "preferred_trigger", "&s", &trigger);
  GVariantBuilder results{};
  g_variant_builder_init(&results, G_VARIANT_TYPE_VARDICT);
  if (probe.what == "keys-wait") {
    g_variant_builder_clear(&results);
    g_dbus_method_invocation_return_value(
        call, g_variant_new("(o)", "/org/freedesktop/portal/desktop/request/1/1"));
    g_dbus_connection_flush_sync(probe.bus, nullptr, nullptr);
    std::fprintf(stderr, "the dialog is open\n");
  } else {
    if (probe.what == "keys-none") {
      g_variant_builder_add(&results, "{sv}", "shortcuts",
                            g_variant_new_array(G_VARIANT_TYPE("(sa{sv})"), nullptr, 0));
    } else {
      g_variant_builder_add(&results, "{sv}", "shortcuts",
                            bound(probe.what == "keys-unset" ? "" : trigger));
    }
    answer(probe, options, probe.what == "keys-refuse" ? 1 : 0, g_variant_builder_end(&results),
           call);
  }
  g_variant_unref(about);
  g_variant_unref(wanted);
}

void on_keys_call(GDBusConnection*, const char* sender, const char*, const char*,
                  const char* method, GVariant* arguments, GDBusMethodInvocation* call,
                  gpointer self) {
  auto& probe = *static_cast<ProbeBus*>(self);
  if (std::strcmp(method, "Register") == 0) {
    const char* name = "";
    g_variant_get_child(arguments, 0, "&s", &name);
    if (std::strcmp(name, "qvid") == 0) registered = sender;
    return g_dbus_method_invocation_return_value(call, nullptr);
  }
  if (probe.what != "keys-old" && registered != sender) {
    return g_dbus_method_invocation_return_dbus_error(
        call, "org.freedesktop.portal.Error.NotAllowed", "An app id is required");
  }
  GVariant* const options =
      g_variant_get_child_value(arguments, g_variant_n_children(arguments) - 1);
  if (std::strcmp(method, "BindShortcuts") == 0) {
    bind(probe, arguments, options, call);
  } else {
    probe.session = std::string(kPortalPath) + "/session/one";
    GVariantBuilder results{};
    g_variant_builder_init(&results, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_add(&results, "{sv}", "session_handle",
                          g_variant_new_string(probe.session.c_str()));
    answer(probe, options, 0, g_variant_builder_end(&results), call);
  }
  g_variant_unref(options);
}

const GDBusInterfaceVTable kKeysMethods = [] {
  GDBusInterfaceVTable table{};
  table.method_call = on_keys_call;
  table.get_property = [](GDBusConnection*, const char*, const char*, const char*, const char*,
                          GError**, gpointer) { return g_variant_new_uint32(1); };
  return table;
}();

void tell(ProbeBus& probe, const char* signal, const std::string& session, const char* id) {
  GVariantBuilder none{};
  g_variant_builder_init(&none, G_VARIANT_TYPE_VARDICT);
  g_dbus_connection_emit_signal(probe.bus, probe.asker.c_str(), kPortalPath, kShortcuts, signal,
                                g_variant_new("(osta{sv})", session.c_str(), id, guint64{0}, &none),
                                nullptr);
}

gboolean on_down(gpointer self) {
  auto& probe = *static_cast<ProbeBus*>(self);
  tell(probe, "Activated", probe.session, "talk");
  return G_SOURCE_CONTINUE;
}
gboolean on_up(gpointer self) {
  auto& probe = *static_cast<ProbeBus*>(self);
  tell(probe, "Deactivated", probe.session, "talk");
  tell(probe, "Activated", probe.session, "another");
  tell(probe, "Activated", std::string(kPortalPath) + "/session/two", "talk");
  return G_SOURCE_CONTINUE;
}
gboolean on_keys_end(gpointer self) {
  close_session(*static_cast<ProbeBus*>(self));
  return G_SOURCE_CONTINUE;
}
gboolean on_change(gpointer self) {
  auto& probe = *static_cast<ProbeBus*>(self);
  g_dbus_connection_emit_signal(
      probe.bus, probe.asker.c_str(), kPortalPath, kShortcuts, "ShortcutsChanged",
      g_variant_new("(o@a(sa{sv}))", probe.session.c_str(), bound("Hyper")), nullptr);
  return G_SOURCE_CONTINUE;
}

}  // namespace

void offer_keys(ProbeBus& probe) {
  GDBusNodeInfo* const about = g_dbus_node_info_new_for_xml(kKeysInterface, nullptr);
  for (int i = 0; i < (probe.what == "keys-old" ? 1 : 2); ++i) {
    g_dbus_connection_register_object(probe.bus, kPortalPath, about->interfaces[i], &kKeysMethods,
                                      &probe, nullptr, nullptr);
  }
  g_unix_signal_add(SIGUSR1, on_down, &probe);
  g_unix_signal_add(SIGUSR2, on_up, &probe);
  g_unix_signal_add(SIGHUP, on_keys_end, &probe);
  g_unix_signal_add(SIGWINCH, on_change, &probe);
}

}  // namespace e2e
