#include "media/source/desktop_portal.h"

#include <gio/gunixfdlist.h>

#include <utility>

#include "base/portal/portal_session.h"
#include "media/source/portal_errors.h"

namespace qvid::media {
namespace {

// Of the interface's documentation.
constexpr std::uint32_t kMonitors = 1;
constexpr std::uint32_t kWindows = 2;
constexpr std::uint32_t kEmbeddedCursor = 2;  // drawn into the pictures

class AskedPortal final : public DesktopPortal {
 public:
  explicit AskedPortal(const std::stop_token& stop) : stop_(stop), session_("ScreenCast", stop) {}

  // Empty: there is a choice.
  std::optional<Error> ask();
  Choice& choice() override { return choice_; }
  std::optional<Error> ended() override {
    const auto fault = session_.ended();
    if (!fault || fault->kind == PortalFault::Kind::kStopped) return std::nullopt;
    return sharing_ended(*fault);
  }

 private:
  std::optional<PortalFault> select_sources();
  std::optional<PortalFault> start();
  std::optional<Error> open_pipewire();

  const std::stop_token stop_;
  PortalSession session_;
  Choice choice_;
};

std::optional<PortalFault> AskedPortal::select_sources() {
  guint32 kinds = 0;
  guint32 cursors = 0;
  g_variant_lookup(session_.properties(), "AvailableSourceTypes", "u", &kinds);
  g_variant_lookup(session_.properties(), "AvailableCursorModes", "u", &cursors);
  kinds &= kMonitors | kWindows;
  if (kinds == 0) {
    return PortalFault{PortalFault::Kind::kLacking, "it offers neither screens nor windows"};
  }
  if (auto fault = session_.begin()) return fault;
  GVariantBuilder* const with = session_.options();
  g_variant_builder_add(with, "{sv}", "types", g_variant_new_uint32(kinds));
  g_variant_builder_add(with, "{sv}", "multiple", g_variant_new_boolean(FALSE));
  if ((cursors & kEmbeddedCursor) != 0) {
    g_variant_builder_add(with, "{sv}", "cursor_mode", g_variant_new_uint32(kEmbeddedCursor));
  }
  return session_.request("SelectSources", g_variant_new("(oa{sv})", session_.path(), with),
                          "let you choose a screen");
}

std::optional<PortalFault> AskedPortal::start() {
  const std::string step = "show a screen";
  if (auto fault = session_.request(
          "Start", g_variant_new("(osa{sv})", session_.path(), "", session_.options()), step)) {
    return fault;
  }
  const GlibOwned<GVariant> streams(
      g_variant_lookup_value(session_.answer(), "streams", G_VARIANT_TYPE("a(ua{sv})")));
  if (!streams || g_variant_n_children(streams.get()) == 0) {
    return PortalFault{PortalFault::Kind::kFailed, "it names none", step};
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
      session_.bus(), PortalSession::kName, PortalSession::kPath, session_.interface().c_str(),
      "OpenPipeWireRemote", g_variant_new("(oa{sv})", session_.path(), &none),
      G_VARIANT_TYPE("(h)"), G_DBUS_CALL_FLAGS_NONE, PortalSession::kCallTimeout, nullptr,
      &received, session_.cancellable(), error.place()));
  const GlibOwned<GUnixFDList> files(received);
  if (!answer || !files) return no_pipewire(PortalSession::words_of(error));
  gint32 index = 0;
  g_variant_get(answer.get(), "(h)", &index);
  if (index < 0 || index >= g_unix_fd_list_get_length(files.get())) {
    return no_pipewire("the portal hands over no connection");
  }
  choice_.pipewire = OwnedFile(g_unix_fd_list_get(files.get(), index, error.place()));
  if (choice_.pipewire.get() < 0) return no_pipewire(PortalSession::words_of(error));
  return std::nullopt;
}

std::optional<Error> AskedPortal::ask() {
  auto fault = session_.open();
  if (!fault) fault = select_sources();
  if (!fault) fault = start();
  if (fault) return no_screen(*fault);
  auto error = open_pipewire();
  if (error && stop_.stop_requested()) return stopped_asking();
  return error;
}

}  // namespace

Result<std::unique_ptr<DesktopPortal>> DesktopPortal::ask(const std::stop_token& stop) {
  auto portal = std::make_unique<AskedPortal>(stop);
  if (auto error = portal->ask()) return *std::move(error);
  return std::unique_ptr<DesktopPortal>(std::move(portal));
}

}  // namespace qvid::media
