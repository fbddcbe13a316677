// Shows what is said where there is no desktop to be asked for a screen. With one: tests/e2e/.
#include "media/source/portal_source.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "media/source/desktop_portal.h"
#include "media/source/unfit_source.h"
#include "media/source/wayland_session.h"
#include "tests/kept_environment.h"
#include "tests/temporary_folder.h"

namespace qvid::media {
namespace {

class PortalSourceTest : public testing::Test {
 protected:
  PortalSourceTest() { setenv("XDG_SESSION_TYPE", "wayland", 1); }
  static std::string trouble() {
    const auto source = open_source(screen_, {}, {});
    return source ? "none" : source.error().message;
  }

  static inline const SourceSpec screen_{SourceSpec::Kind::kScreen, {}};
  // What a desktop is known by.
  KeptEnvironment none_{"XDG_SESSION_TYPE", "WAYLAND_DISPLAY", "DISPLAY",
                        "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"};
};

TEST_F(PortalSourceTest, AScreenWithoutANameIsChosenOnADesktopOfWayland) {
  EXPECT_TRUE(is_chosen_on_desktop(screen_));
  EXPECT_FALSE(is_chosen_on_desktop({SourceSpec::Kind::kScreen, ":0"}));
  EXPECT_FALSE(is_chosen_on_desktop({SourceSpec::Kind::kTest, {}}));
  setenv("XDG_SESSION_TYPE", "x11", 1);
  EXPECT_FALSE(is_chosen_on_desktop(screen_));
  setenv("WAYLAND_DISPLAY", "wayland-0", 1);
  EXPECT_TRUE(is_chosen_on_desktop(screen_));
}

TEST_F(PortalSourceTest, WithoutABusItIsRefusedBeforeAnythingBegins) {
  EXPECT_NE(trouble().find("there is no session bus"), std::string::npos) << trouble();
  const auto unfit = unfit_source(screen_, {});
  ASSERT_TRUE(unfit);
  EXPECT_NE(unfit->message.find("XDG_RUNTIME_DIR are not set"), std::string::npos)
      << unfit->message;
  const TemporaryFolder folder;
  setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
  EXPECT_NE(trouble().find(folder.path().string() + "/bus"), std::string::npos) << trouble();
  setenv("DBUS_SESSION_BUS_ADDRESS", "nonsense", 1);
  EXPECT_NE(trouble().find("is no address of a bus: nonsense"), std::string::npos) << trouble();
}

TEST_F(PortalSourceTest, ABusThatIsNotThereIsTold) {
  setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus", 1);
  EXPECT_FALSE(unfit_source(screen_, {})) << "nobody is asked yet";
  EXPECT_NE(trouble().find("there is no session bus to ask the desktop for a screen by ("),
            std::string::npos)
      << trouble();
  EXPECT_NE(trouble().find("start Qvid from within"), std::string::npos) << trouble();
}

TEST_F(PortalSourceTest, WhoIsStoppedBeforeItAsksSaysSo) {
  setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus", 1);
  std::stop_source stop;
  stop.request_stop();
  const auto asked = DesktopPortal::ask(stop.get_token());
  ASSERT_FALSE(asked);
  EXPECT_NE(asked.error().message.find("stopped"), std::string::npos) << asked.error().message;
}

TEST_F(PortalSourceTest, APartOfAScreenIsX11s) {
  SourceSpec part = screen_;
  part.area.window = 5;
  const auto unfit = unfit_source(part, {});
  ASSERT_TRUE(unfit);
  EXPECT_NE(unfit->message.find("X11"), std::string::npos);
}

}  // namespace
}  // namespace qvid::media
