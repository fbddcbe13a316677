// What the window before a call shows and does: pages, which links and values are good, devices by
// name, what is remembered. The window draws it (ui/start), the command carries it out.
//
//   settings, devices, troubles --> StartMenu --> model(), entries()
//   what was pressed            --> on_action --> what is to be done now
//
// Bad input never leads on: it is said beside its field. Pure. Thread: one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "app/start/device_lists.h"
#include "app/start/joining.h"
#include "ui/start/start_model.h"

namespace qvid::app {

// Which devices are to be tried: as options of the command line have them.
struct DeviceWish {
  std::optional<std::string> camera{};  // a source; "": what there is; empty: none
  std::string microphone{};
  std::string loudspeaker{};

  bool operator==(const DeviceWish&) const = default;
};

// What the window asks of the command.
enum class StartStep : std::uint8_t {
  kStay,
  kQuit,
  kGo,    // joining()
  kHost,  // make an invitation, or say why not
  kCopy,  // copied()
  kTestTone,
  kRescale,  // the window anew, at scale() and in language()
};

class StartMenu {
 public:
  // `own_name`: who one is where no name is remembered. `file`: of the settings, to be told.
  StartMenu(const Settings& settings, std::string own_name, std::string file);

  const ui::StartModel& model() const { return model_; }
  ui::StartEntries& entries() { return entries_; }

  // The entries may have changed.
  void on_entries();
  StartStep on_action(const ui::StartAction& action);

  // The page before joining this; with a sentence where it is no link.
  void open_link(const std::string& link, bool watches = false);
  // The page of a call of one's own, which others reach by this.
  void open_host(const std::string& link, const std::string& passphrase);
  // Back at the first page, after a call. `what`: went wrong; empty: nothing.
  void on_returned(const Settings& settings, const std::string& what);
  void set_notice(const std::string& what) { model_.notice = what; }
  void set_devices(const DeviceView& devices);
  // What the way to where one is about to join is like, in a sentence.
  void set_network(const std::string& text, bool trouble);

  // Where to look how far it is; empty: nowhere.
  std::string destination() const {
    return model_.page == ui::StartPage::kJoin ? link_ : std::string();
  }
  bool wants_devices() const { return model_.page == ui::StartPage::kJoin; }
  DeviceWish wish() const;
  Joining joining() const;
  // With all that was chosen here; what is wrong is left as it was.
  void keep(Settings& settings) const;
  float scale() const;
  std::string language() const;
  // The language is another.
  void translate();
  std::string copied() const;

 private:
  StartStep go();
  void show_front();
  void show_join(const std::string& title, const std::string& go);
  void fill_devices();
  void take_choices();
  void check_link();
  void check_values();

  Settings settings_;  // as chosen here
  const std::string own_name_;
  ui::StartModel model_;
  ui::StartEntries entries_;
  DeviceView devices_;
  std::size_t listed_camera_ = 0;  // the entry, as the list was made
  Joining::Kind kind_ = Joining::Kind::kCall;
  std::string link_;  // of the room that is about to be joined
};

}  // namespace qvid::app
