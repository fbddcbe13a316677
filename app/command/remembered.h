// What a program takes from the settings (app/settings/settings.h), and what it leaves there.
//
//   command line > settings > defaults       at the start
//   devices that are chosen                         at once, in a window
//   layout, size of the window, volumes, the room     at the end, of a call in a window
//   the volume of the video                            the same, of who plays one
//
// Without a window only name, proxy and limit count: devices and looks are a person's. Thread: main's.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/command/party_arguments.h"
#include "app/reception/volume.h"
#include "app/settings/settings_file.h"
#include "ui/call/call_window.h"

namespace qvid::app {

// What settings say to everybody who receives.
struct RememberedOptions {
  ClientArguments& client;
  SoundArguments& sound;
  float& scale;
  bool in_window = false;
};

class Remembered {
 public:
  // Each fills in what the command line has not said. What is wrong goes into the log at once.
  explicit Remembered(const RememberedOptions& options);
  Remembered(PartyArguments& arguments, Role role);

  // A sentence each, for the window.
  const std::vector<std::string>& troubles() const { return read_.troubles; }
  media::PictureSize window_size() const;
  ui::LayoutMode layout() const;
  // By name, of who is not to be played as it is sent.
  std::map<std::string, float> volumes() const { return volumes_of(read_.settings); }
  // At once. Error: it is not remembered.
  std::optional<Error> change(const std::function<void(Settings&)>& change) const {
    return change_settings(file_, change);
  }
  // `joined`: the link of the room; empty: none. `volumes`: as changed in the call, by name.
  void keep(const ui::CallWindow& window, const std::string& joined,
            const std::map<std::string, Volume>& volumes) const;
  // Of a video, by its link; 1: nothing was remembered. A link that is no name is not kept.
  float volume_of(const std::string& link) const;
  void keep_volume(const std::string& link, float level) const;

 private:
  void use_camera(PartyArguments& arguments);

  const std::filesystem::path file_;
  ReadSettings read_;
};

}  // namespace qvid::app
