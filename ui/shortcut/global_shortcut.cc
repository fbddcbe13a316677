#include "ui/shortcut/global_shortcut.h"

#include <utility>

#include "base/portal/portal_session.h"
#include "base/text.h"
#include "ui/text/translated.h"

namespace qvid::ui {
namespace {

constexpr std::size_t kLongestTrigger = 100;  // bytes that are shown
constexpr const char* kShortcuts = "a(sa{sv})";

std::string sentence_of(const PortalFault& fault) {
  using enum PortalFault::Kind;
  switch (fault.kind) {
    case kNoBus: return filled(tr("there is no session bus ({})"), fault.why);
    case kAbsent:
      return filled(tr("the desktop's portal does not answer ({}); it is xdg-desktop-portal"),
                    fault.why);
    case kLacking: return filled(tr("the desktop has no global shortcuts ({})"), fault.why);
    case kRefused: return tr("the shortcut was not allowed");
    case kClosed: return tr("the desktop has ended the shortcut");
    case kGone: return tr("the desktop's portal is gone");
    case kStopped:
    case kFailed: break;
  }
  return filled(tr("the desktop's portal has failed ({})"), fault.why);
}

// No part of a character.
std::string beginning_of(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  text.resize(most);
  return text;
}

}  // namespace

GlobalShortcut::GlobalShortcut(ShortcutWish wish, ShortcutCallbacks callbacks)
    : wish_(std::move(wish)),
      callbacks_(std::move(callbacks)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void GlobalShortcut::run(const std::stop_token& stop) {
  PortalSession session("GlobalShortcuts", stop, [this](std::string_view name, GVariant* about) {
    take_signal(name, about);
  });
  const PortalFault fault = hold(session);
  if (fault.kind == PortalFault::Kind::kStopped) return;
  set_held(false);
  callbacks_.ended(sentence_of(fault));
}

// Why it is over.
PortalFault GlobalShortcut::hold(PortalSession& session) {
  if (auto fault = session.open()) return *std::move(fault);
  if (auto fault = session.begin()) return *std::move(fault);
  GVariantBuilder shortcuts{};
  g_variant_builder_init(&shortcuts, G_VARIANT_TYPE(kShortcuts));
  g_variant_builder_open(&shortcuts, G_VARIANT_TYPE("(sa{sv})"));
  g_variant_builder_add(&shortcuts, "s", wish_.id.c_str());
  g_variant_builder_open(&shortcuts, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add(&shortcuts, "{sv}", "description",
                        g_variant_new_string(wish_.description.c_str()));
  g_variant_builder_add(&shortcuts, "{sv}", "preferred_trigger",
                        g_variant_new_string(wish_.trigger.c_str()));
  g_variant_builder_close(&shortcuts);
  g_variant_builder_close(&shortcuts);
  if (auto fault = session.request(
          "BindShortcuts",
          g_variant_new("(oa(sa{sv})sa{sv})", session.path(), &shortcuts, "", session.options()),
          "bind")) {
    return *std::move(fault);
  }
  const GlibOwned<GVariant> bound(
      g_variant_lookup_value(session.answer(), "shortcuts", G_VARIANT_TYPE(kShortcuts)));
  // It may bind fewer than it was asked for.
  if (!bound || !take_trigger(bound.get())) return {PortalFault::Kind::kRefused};
  for (;;) {
    if (auto fault = session.ended()) return *std::move(fault);
    session.wait();
  }
}

void GlobalShortcut::take_signal(std::string_view name, GVariant* parameters) {
  const bool is_key = g_variant_is_of_type(parameters, G_VARIANT_TYPE("(osta{sv})")) != 0;
  if (is_key && (name == "Activated" || name == "Deactivated")) {
    const char* id = nullptr;
    g_variant_get_child(parameters, 1, "&s", &id);
    if (wish_.id == id) set_held(name == "Activated");
  } else if (name == "ShortcutsChanged" &&
             g_variant_is_of_type(parameters, G_VARIANT_TYPE("(oa(sa{sv}))")) != 0) {
    const GlibOwned<GVariant> shortcuts(g_variant_get_child_value(parameters, 1));
    take_trigger(shortcuts.get());
  }
}

// False: it is not among them.
bool GlobalShortcut::take_trigger(GVariant* shortcuts) {
  for (gsize i = 0; i < g_variant_n_children(shortcuts); ++i) {
    const char* id = nullptr;
    GVariant* about = nullptr;
    g_variant_get_child(shortcuts, i, "(&s@a{sv})", &id, &about);
    const GlibOwned<GVariant> details(about);
    if (wish_.id != id) continue;
    const char* trigger = "";
    g_variant_lookup(details.get(), "trigger_description", "&s", &trigger);
    callbacks_.bound(beginning_of(clean_line(trigger), kLongestTrigger));
    return true;
  }
  return false;
}

void GlobalShortcut::set_held(bool held) {
  if (std::exchange(held_, held) != held) callbacks_.held(held);
}

}  // namespace qvid::ui
