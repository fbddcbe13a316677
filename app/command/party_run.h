// A party of `qvid call`, `publish` or `watch`: RoomParty with its seats and sound, what its window
// shows, and what its keys do.
//
// Queues: pictures, the latest of each tile; notices, messages, calls and what devices tell, kMostNotices
// of each, the oldest go. Thread: main's; what comes from others is under the mutex. Who is heard does not wait for the window, which
// may be hidden.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/command/away_notices.h"
#include "app/command/call_devices.h"
#include "app/command/call_recorder.h"
#include "app/command/desktop_programs.h"
#include "app/command/hosted_call.h"
#include "app/command/link_signs.h"
#include "app/command/open_link.h"
#include "app/command/own_picture_turn.h"
#include "app/command/party_arguments.h"
#include "app/command/party_tiles.h"
#include "app/command/program_run.h"
#include "app/command/still_taker.h"
#include "app/command/talk_keys.h"
#include "app/command/telling.h"
#include "app/command/tile_order.h"
#include "app/options/line_input.h"
#include "app/room/played_seats.h"
#include "app/room/room_chat.h"
#include "app/room/room_party.h"
#include "app/room/shown_heights.h"
#include "app/start/device_watch.h"
#include "ui/call/call_window.h"
#include "ui/shortcut/global_shortcut.h"

namespace qvid::app {

class PartyRun {
 public:
  static constexpr std::size_t kMostNotices = 16;

  // What is changed in the window: `sound` outlives this; `remember` changes the settings.
  struct Devices {
    bool publishes = true;
    SoundDevices& sound;
    std::function<std::optional<Error>(const std::function<void(Settings&)>&)> remember;
  };
  // `window`: null: without one. `hosted`: what it takes part in, if it is the host. These and the
  // arguments outlive this. `json`: messages are told on standard output, each as a line of JSON.
  PartyRun(boost::asio::io_context& io, const PartyArguments& arguments, PartyOptions options,
           std::optional<RoomSoundOptions> sound, std::shared_ptr<OutputLog> output_log,
           Devices devices, ui::CallWindow* window, HostedCall* hosted, bool json);

  ExitCode run();
  PartyReport report() const { return party_.report(); }
  // Any thread: shown for a while.
  void show_notice(const std::string& text);
  // Any thread: what became of a microphone or a loudspeaker.
  void on_sound_status(const media::SoundStatus& status);
  // Of who is heard under these names. Before run().
  void set_volumes(const std::map<std::string, float>& volumes);

 private:
  struct Picture {
    std::string name;
    media::DecodedFrame decoded;
  };
  void turn();
  // Something is to be told in the window. Any thread.
  void wake();
  // The window shows a picture for this tile as it was told of it last.
  bool is_told(const std::string& tile) const;
  void tell(PartyReport report);
  void ask_for_pictures();
  void tell_heights(Timestamp now);
  Duration longest_wait();
  void act(ui::CallCommand command);
  void pin(const Pinned& one);
  template <class Change>
  void talk(Change change);
  void hold(TalkKey key, bool held);
  void listen_for_shortcut();
  void on_trigger(const std::string& trigger);
  void change_volume(const std::string& name, float by);
  void show_camera(const std::string& device);
  void use_device(const CallDevices::Use& use);
  void follow_devices();
  void take_step(const CallDevices::Step& step, ui::DeviceKind kind);
  void on_device_status(CallDevices::Status status);
  void share();
  void begin_share(const Result<media::LiveInOptions>& source);
  void freeze();
  const ui::TileModel* tile_of(const std::string& key) const;
  std::string name_of(const std::string& key) const;

  TalkKeys talk_keys() const {
    const std::lock_guard lock(mutex_);
    return keys_;
  }
  void update(const PartyReport& report);
  std::string status_of(const PartyReport& report) const;
  ui::Microphone microphone(const PartyReport& report) const;

  void on_picture(std::uint32_t viewer, int seat, const std::string& name,
                  media::ShownPicture picture);
  struct OwnPicture {
    std::optional<media::VideoFrame> picture{};
    OwnPictureTurn turn{};
  };
  void on_own_picture(OwnPicture& own, const media::VideoFrame& picture);
  void on_notice(const std::string& text);
  void on_attention(const std::string& text);
  void on_message(const ChatMessage& message, bool news);
  void say(const std::string& line);
  void show_chat();
  void raise_hand();
  void record();
  void act_on(const ui::PersonInput& person);
  void on_ended(ExitCode code, const std::string& why);

  const PartyArguments& arguments_;
  const PartyOptions options_;
  boost::asio::io_context& io_;
  ui::CallWindow* const window_;
  HostedCall* const hosted_;
  const std::shared_ptr<OutputLog> output_log_;  // empty: none
  ui::CallModel model_;
  std::vector<ui::TileModel> tiles_;  // as the window was told last
  PartyReport report_;                // by which that was
  TileOrder tile_order_;
  std::vector<std::string> asked_for_;  // whose pictures the broker was asked to prefer
  ShownHeights told_heights_;           // as the others were told
  Timestamp heights_seen_at_{};
  LinkSigns links_;
  const bool shows_everybody_;  // else whom the arguments name
  Pinned pinned_;
  const bool by_shortcut_;  // with push to talk
  bool share_sound_;        // goes along with what is shared, as it was chosen last
  const Devices devices_;
  CallDevices chosen_;  // of them
  const bool json_;
  std::shared_ptr<const ChatView> chat_view_;  // that the window was told
  DesktopPrograms openers_{kMostOpeners};      // of links
  AwayNotices away_;
  Telling telling_;
  mutable std::mutex mutex_;  // guards the nine
  TalkKeys keys_;
  std::string talk_trigger_;                 // of the desktop; empty: none
  std::map<std::string, Picture> pictures_;  // by tile
  std::vector<std::string> notices_;
  std::vector<std::string> messages_;  // just written, for who does not look at the chat
  std::vector<std::string> calls_;     // for who does not look at the window
  std::vector<CallDevices::Status> device_statuses_;
  OwnPicture own_face_;
  OwnPicture own_share_;
  ProgramRun run_;
  std::optional<LineInput> lines_;  // criteria, or messages
  std::optional<RoomSound> sound_;
  PlayedSeats seats_;
  RoomChat chat_;
  RoomParty party_;
  std::optional<CallRecorder> recorder_;
  std::optional<ui::GlobalShortcut> shortcut_;
  std::optional<DeviceWatch> plugged_;     // from the first look at the panel on
  StillTaker stills_{[this] { wake(); }};  // of what is offered to be shared
};

}  // namespace qvid::app
