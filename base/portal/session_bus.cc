#include "base/portal/session_bus.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/portal/glib_owned.h"

namespace qvid {

// As D-Bus' own libraries look for it, but that none is started for a desktop without one.
Result<std::string> session_bus_address() {
  if (const char* named = std::getenv("DBUS_SESSION_BUS_ADDRESS");
      named != nullptr && *named != '\0') {
    if (g_dbus_is_supported_address(named, nullptr) == 0) {
      return Error{"DBUS_SESSION_BUS_ADDRESS is no address of a bus: " + std::string(named)};
    }
    return std::string(named);
  }
  const char* const folder = std::getenv("XDG_RUNTIME_DIR");
  if (folder == nullptr || *folder == '\0') {
    return Error{"DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR are not set"};
  }
  const std::string socket = std::string(folder) + "/bus";
  if (std::error_code ignored; !std::filesystem::exists(socket, ignored)) {
    return Error{"DBUS_SESSION_BUS_ADDRESS is not set, and there is no " + socket};
  }
  const GlibOwned<char> escaped(g_dbus_address_escape_value(socket.c_str()));
  return std::string("unix:path=") + escaped.get();
}

}  // namespace qvid
