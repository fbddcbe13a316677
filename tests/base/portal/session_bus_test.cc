// Shows where the session's bus is looked for. With one: tests/e2e/.
#include "base/portal/session_bus.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "base/portal/portal_session.h"
#include "tests/kept_environment.h"
#include "tests/temporary_folder.h"

namespace qvid {
namespace {

struct SessionBus : testing::Test {
  static std::string trouble() {
    const auto address = session_bus_address();
    return address ? "none" : address.error().message;
  }
  KeptEnvironment none{"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"};
};

TEST_F(SessionBus, IsTheOneThatIsNamed) {
  setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus", 1);
  EXPECT_EQ(*session_bus_address(), "unix:path=/nowhere/bus");
  setenv("DBUS_SESSION_BUS_ADDRESS", "nonsense", 1);
  EXPECT_EQ(trouble(), "DBUS_SESSION_BUS_ADDRESS is no address of a bus: nonsense");
}

TEST_F(SessionBus, IsFoundInTheUsersFolder) {
  EXPECT_EQ(trouble(), "DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR are not set");
  const TemporaryFolder folder;
  setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
  const std::string bus = (folder / "bus").string();
  EXPECT_NE(trouble().find("there is no " + bus), std::string::npos) << trouble();
  std::ofstream(bus).flush();
  EXPECT_EQ(*session_bus_address(), "unix:path=" + bus);
}

TEST_F(SessionBus, WithoutItAPortalCannotBeAsked) {
  using Kind = PortalFault::Kind;
  std::stop_source stop;
  PortalSession first("GlobalShortcuts", stop.get_token());
  EXPECT_EQ(first.open()->kind, Kind::kNoBus);
  setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus", 1);
  PortalSession second("GlobalShortcuts", stop.get_token());
  EXPECT_EQ(second.open()->kind, Kind::kNoBus);
  stop.request_stop();
  PortalSession third("GlobalShortcuts", stop.get_token());
  EXPECT_EQ(third.open()->kind, Kind::kStopped);
}

}  // namespace
}  // namespace qvid
