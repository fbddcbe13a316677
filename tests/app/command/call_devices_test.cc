// Shows which devices the panel of a call lists, and what a choice among them does: it is tried, kept, or
// taken back.
#include "app/command/call_devices.h"

#include <gtest/gtest.h>

#include <vector>

namespace qvid::app {
namespace {

using ui::DeviceKind;
using Entries = std::vector<ui::DeviceEntry>;

const DeviceView kThere{
    .cameras = {{"Integrated", "camera:/dev/video0"}, {"USB", "camera:/dev/video2"}},
    .microphones = {"Headset", "Built-in"},
    .loudspeakers = {"HDMI"}};

CallDevices::Status fine(DeviceKind kind, const std::string& device) {
  return {.of = {kind, device}, .ok = true, .text = "is used", .why = ""};
}
CallDevices::Status bad(DeviceKind kind, const std::string& device) {
  return {.of = {kind, device}, .ok = false, .text = "is busy: tried again", .why = "is busy"};
}
ui::DeviceGroup group_of(const CallDevices& devices, DeviceKind kind) {
  for (const ui::DeviceGroup& group : devices.model().groups) {
    if (group.kind == kind) return group;
  }
  return {};
}

TEST(CallDevices, ListsWhatIsPluggedInAndMarksWhatIsUsed) {
  CallDevices devices({.camera = "camera:/dev/video2", .microphone = "Headset"});
  EXPECT_EQ(group_of(devices, DeviceKind::kMicrophone).entries, (Entries{{"Headset", "Headset"}}))
      << "before it is known";
  devices.set_plugged(kThere);
  const ui::DeviceGroup cameras = group_of(devices, DeviceKind::kCamera);
  EXPECT_EQ(
      cameras.entries,
      (Entries{{"camera:/dev/video0", "Integrated"}, {"camera:/dev/video2", "USB"}, {"", "None"}}));
  EXPECT_EQ(cameras.used, "camera:/dev/video2");
  const ui::DeviceGroup microphones = group_of(devices, DeviceKind::kMicrophone);
  EXPECT_EQ(microphones.entries, (Entries{{"", "The system's"},
                                          {"Headset", "Headset"},
                                          {"Built-in", "Built-in"},
                                          {"none", "None"}}));
  EXPECT_EQ(microphones.used, "Headset");
  EXPECT_EQ(group_of(devices, DeviceKind::kLoudspeaker).used, "") << "the system's";

  devices.set_plugged({.microphones = {"Built-in", "Built-in"}});
  EXPECT_EQ(group_of(devices, DeviceKind::kMicrophone).entries,
            (Entries{{"", "The system's"},
                     {"Built-in", "Built-in"},
                     {"none", "None"},
                     {"Headset", "Headset (not plugged in)"}}));
  EXPECT_EQ(group_of(devices, DeviceKind::kCamera).entries,
            (Entries{{"camera:/dev/video2", "camera:/dev/video2"}, {"", "None"}}));
}

TEST(CallDevices, WhoWatchesHasALoudspeakerAlone) {
  CallDevices devices({.publishes = false, .loudspeaker = "HDMI"});
  devices.set_plugged(kThere);
  const ui::DevicesModel model = devices.model();
  ASSERT_EQ(model.groups.size(), 1u);
  EXPECT_EQ(model.groups[0].kind, DeviceKind::kLoudspeaker);
  EXPECT_EQ(model.groups[0].used, "HDMI");
}

TEST(CallDevices, WhatIsChosenIsUsedAndKeptOnceItIsOpen) {
  CallDevices devices({.camera = "camera:/dev/video0"});
  devices.set_plugged(kThere);
  const auto step = devices.choose({DeviceKind::kMicrophone, "Headset"});
  EXPECT_EQ(step.use, (CallDevices::Use{DeviceKind::kMicrophone, "Headset"}));
  EXPECT_FALSE(step.keep) << "it may be busy";
  EXPECT_EQ(group_of(devices, DeviceKind::kMicrophone).used, "Headset");
  EXPECT_FALSE(devices.choose({DeviceKind::kMicrophone, "Headset"}).use) << "it is that";
  EXPECT_FALSE(devices.on_status(fine(DeviceKind::kMicrophone, "")).keep) << "the one before";
  EXPECT_TRUE(devices.on_status(fine(DeviceKind::kMicrophone, "Headset")).keep);
  EXPECT_FALSE(devices.on_status(fine(DeviceKind::kMicrophone, "Headset")).keep) << "once";
  Settings settings{.camera = "Integrated", .loudspeaker = "HDMI"};
  devices.keep(DeviceKind::kMicrophone, settings);
  EXPECT_EQ(settings,
            (Settings{.camera = "Integrated", .microphone = "Headset", .loudspeaker = "HDMI"}));

  devices.choose({DeviceKind::kCamera, "camera:/dev/video2"});
  EXPECT_TRUE(devices.on_status(fine(DeviceKind::kCamera, "camera:/dev/video2")).keep);
  settings.join_without_camera = true;
  devices.keep(DeviceKind::kCamera, settings);
  EXPECT_EQ(settings.camera, "USB");
  EXPECT_FALSE(settings.join_without_camera);
}

TEST(CallDevices, NoneIsUsedAtOnce) {
  CallDevices devices({.camera = "camera:/dev/video0"});
  devices.set_plugged(kThere);
  const auto silent = devices.choose({DeviceKind::kMicrophone, "none"});
  EXPECT_EQ(silent.use, (CallDevices::Use{DeviceKind::kMicrophone, "none"}));
  EXPECT_TRUE(silent.keep);
  const auto unseen = devices.choose({DeviceKind::kCamera, ""});
  EXPECT_EQ(unseen.use, (CallDevices::Use{DeviceKind::kCamera, ""}));
  EXPECT_TRUE(unseen.keep);
  EXPECT_FALSE(devices.camera_on());
  Settings settings{.camera = "USB"};
  devices.keep(DeviceKind::kCamera, settings);
  devices.keep(DeviceKind::kMicrophone, settings);
  EXPECT_EQ(settings,
            (Settings{.camera = "USB", .microphone = "none", .join_without_camera = true}));
}

TEST(CallDevices, WhereItCannotBeOpenedTheOneBeforeIsUsedAgainAndItIsSaid) {
  CallDevices devices({.camera = "camera:/dev/video0", .microphone = "Built-in"});
  devices.set_plugged(kThere);
  devices.choose({DeviceKind::kMicrophone, "Headset"});
  const auto back = devices.on_status(bad(DeviceKind::kMicrophone, "Headset"));
  EXPECT_EQ(back.use, (CallDevices::Use{DeviceKind::kMicrophone, "Built-in"}));
  EXPECT_EQ(back.notice, "is busy: nothing is changed");
  EXPECT_FALSE(back.keep);
  EXPECT_FALSE(devices.on_status(fine(DeviceKind::kMicrophone, "Built-in")).keep);
  const ui::DeviceGroup microphones = group_of(devices, DeviceKind::kMicrophone);
  EXPECT_EQ(microphones.used, "Built-in");
  EXPECT_EQ(microphones.trouble, "is busy: nothing is changed");
  // What was between two choices is not gone back to: it was never open.
  devices.choose({DeviceKind::kCamera, "camera:/dev/video2"});
  devices.choose({DeviceKind::kCamera, "camera:/dev/video9"});
  EXPECT_EQ(devices.on_status(bad(DeviceKind::kCamera, "camera:/dev/video2")).use, std::nullopt);
  EXPECT_EQ(devices.on_status(bad(DeviceKind::kCamera, "camera:/dev/video9")).use,
            (CallDevices::Use{DeviceKind::kCamera, "camera:/dev/video0"}));
  devices.choose({DeviceKind::kMicrophone, "none"});
  EXPECT_EQ(group_of(devices, DeviceKind::kMicrophone).trouble, "") << "another choice";
  // Where both are gone it is told, and nothing goes round and round.
  devices.choose({DeviceKind::kLoudspeaker, "HDMI"});
  EXPECT_EQ(devices.on_status(bad(DeviceKind::kLoudspeaker, "HDMI")).use,
            (CallDevices::Use{DeviceKind::kLoudspeaker, ""}));
  EXPECT_FALSE(devices.on_status(bad(DeviceKind::kLoudspeaker, "")).use);
}

TEST(CallDevices, WhatBecomesOfTheOneInUseIsTold) {
  CallDevices devices({.camera = "camera:/dev/video0"});
  EXPECT_EQ(devices.on_status(bad(DeviceKind::kMicrophone, "")).notice, "is busy: tried again");
  EXPECT_EQ(group_of(devices, DeviceKind::kMicrophone).trouble, "is busy: tried again");
  devices.on_status(fine(DeviceKind::kMicrophone, ""));
  EXPECT_EQ(group_of(devices, DeviceKind::kMicrophone).trouble, "");
  EXPECT_EQ(devices.on_status(bad(DeviceKind::kMicrophone, "Headset")).notice, "") << "left";
  for (const char* notice : {"is busy: tried again", ""}) {
    EXPECT_EQ(devices.on_status(bad(DeviceKind::kCamera, "camera:/dev/video0")).notice, notice)
        << "of a camera it is told every second";
  }
  EXPECT_EQ(group_of(devices, DeviceKind::kCamera).trouble, "is busy: tried again");
}

TEST(CallDevices, TheCameraComesBackAsTheOneThatWasUsed) {
  CallDevices devices({.camera = "camera:/dev/video0", .camera_on = false});
  devices.set_plugged(kThere);
  EXPECT_FALSE(devices.camera_on());
  EXPECT_EQ(devices.turn_camera(true),
            (CallDevices::Use{DeviceKind::kCamera, "camera:/dev/video0"}));
  devices.choose({DeviceKind::kCamera, "camera:/dev/video2"});
  devices.on_status(fine(DeviceKind::kCamera, "camera:/dev/video2"));
  EXPECT_EQ(devices.turn_camera(false), (CallDevices::Use{DeviceKind::kCamera, ""}));
  EXPECT_EQ(group_of(devices, DeviceKind::kCamera).used, "");
  EXPECT_EQ(devices.turn_camera(true),
            (CallDevices::Use{DeviceKind::kCamera, "camera:/dev/video2"}));
  EXPECT_EQ(devices.on_status(bad(DeviceKind::kCamera, "camera:/dev/video2")).use, std::nullopt)
      << "no choice: it is waited for";
  devices.choose({DeviceKind::kCamera, ""});
  EXPECT_EQ(devices.turn_camera(true),
            (CallDevices::Use{DeviceKind::kCamera, "camera:/dev/video2"}));
}

TEST(CallDevices, AToneOrAFileIsListedWhileItIsUsed) {
  CallDevices devices({.camera = "test", .microphone = "tone", .microphone_given = true});
  devices.set_plugged({.microphones = {"Headset"}});
  EXPECT_EQ(group_of(devices, DeviceKind::kCamera).entries,
            (Entries{{"test", "None is plugged in: a test picture"}, {"", "None"}}));
  const Entries with{
      {"", "The system's"}, {"Headset", "Headset"}, {"none", "None"}, {"tone", "tone"}};
  EXPECT_EQ(group_of(devices, DeviceKind::kMicrophone).entries, with);
  EXPECT_EQ(group_of(devices, DeviceKind::kMicrophone).used, "tone");
  devices.choose({DeviceKind::kMicrophone, "Headset"});
  EXPECT_EQ(group_of(devices, DeviceKind::kMicrophone).entries,
            Entries(with.begin(), with.end() - 1));
  EXPECT_EQ(devices.on_status(bad(DeviceKind::kMicrophone, "Headset")).use,
            (CallDevices::Use{DeviceKind::kMicrophone, "none"}))
      << "it cannot be had again";
}

}  // namespace
}  // namespace qvid::app
