// What the window before a call shows, and what is done in it: the app decides (app/start), the
// window draws. Pure data. Text is UTF-8.
//
//   StartModel ---> window ---> StartAction     buttons
//   StartEntries <---> window                   fields, boxes, choices: changed in place
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ui/start/qr_code.h"

namespace qvid::ui {

enum class StartPage : std::uint8_t { kFront, kJoin, kSettings };

enum class StartAct : std::uint8_t {
  kJoin,      // the link of the field
  kWatch,     // the same, unseen
  kHost,      // a call of one's own
  kRecent,    // the room of that index
  kSettings,  // their page
  kBack,      // to the first page
  kGo,        // from the page before joining, into the call
  kTestTone,
  kCopyLink,
  kQuit,
};
struct StartAction {
  StartAct act = StartAct::kQuit;
  std::size_t index = 0;

  bool operator==(const StartAction&) const = default;
};

// What a person enters. A choice is an index into the model's list, 0 the first of it.
struct StartEntries {
  static constexpr std::size_t kMostBytes = 1023;  // of a field

  std::string link{};
  std::string name{};
  std::string passphrase{};
  std::size_t camera = 0;
  std::size_t microphone = 0;
  std::size_t loudspeaker = 0;
  bool join_muted = false;
  bool join_without_camera = false;
  // Of the settings' page.
  std::size_t scale = 0;
  std::size_t layout = 0;
  std::size_t language = 0;
  std::string limit_up{};
  std::string limit_down{};
  std::string proxy{};

  bool operator==(const StartEntries&) const = default;
};

struct StartModel {
  StartPage page = StartPage::kFront;
  std::string notice{};  // across the lower edge: what went wrong; empty: nothing

  // Of the first page.
  std::string link_trouble{};  // why the field's link is none; empty: it is one, or nothing yet
  std::vector<std::string> recent{};  // rooms, the latest first

  // Of the page before joining.
  std::string title{};      // "Join den at 10.0.0.1:7400"
  std::string go = "Join";  // "Start the call"
  bool publishes = true;    // else it only watches: no camera, no microphone
  bool asks_passphrase = true;
  std::string network{};  // what the way there is like; empty: not known
  bool network_trouble = false;
  std::string name_trouble{};
  std::vector<std::string> cameras{};
  std::vector<std::string> microphones{};
  std::vector<std::string> loudspeakers{};
  std::string camera_trouble{};
  std::string microphone_trouble{};
  std::string loudspeaker_trouble{};
  float level = 0;       // of the microphone, 0..1
  bool testing = false;  // the tone is heard
  // What others need, of a call of one's own; empty: it is another's.
  std::string invitation{};
  std::string invitation_passphrase{};
  QrCode qr{};

  // Of the settings' page.
  std::vector<std::string> scales{};
  std::vector<std::string> layouts{};
  std::vector<std::string> languages{};
  std::string limit_up_trouble{};
  std::string limit_down_trouble{};
  std::string proxy_trouble{};
  std::string file{};  // where all of it is kept

  bool operator==(const StartModel&) const = default;
};

}  // namespace qvid::ui
