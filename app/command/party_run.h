// A party of `qvid call`, `publish` or `watch`: RoomParty with its seats and sound, what its window
// shows, and what its keys do.
//
// Queue: pictures, the latest of each seat; notices, kMostNotices. Thread: main's; what comes from
// others is under the mutex.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/command/hosted_call.h"
#include "app/command/link_signs.h"
#include "app/command/party_arguments.h"
#include "app/command/program_run.h"
#include "app/options/line_input.h"
#include "app/room/played_seats.h"
#include "app/room/room_party.h"
#include "ui/call/call_window.h"

namespace qvid::app {

class PartyRun {
 public:
  static constexpr std::size_t kMostNotices = 16;

  // `window`: null: without one. `hosted`: what it takes part in, if it is the host. Both outlive
  // this.
  PartyRun(boost::asio::io_context& io, const PartyArguments& arguments, PartyOptions options,
           std::optional<RoomSoundOptions> sound, std::shared_ptr<OutputLog> output_log,
           ui::CallWindow* window, HostedCall* hosted);

  ExitCode run();
  PartyReport report() const { return party_.report(); }
  // Any thread: shown for a while.
  void show_notice(const std::string& text);

 private:
  struct Picture {
    std::string name;
    media::DecodedFrame decoded;
  };
  void turn();
  void act(ui::CallCommand command);
  void pin(const std::string& name);
  void mute(bool muted, bool talking);
  void change_volume(const std::string& name, float by);
  void publish(bool on, bool screen);
  std::string name_of(const std::string& key) const;

  bool own_muted() const { return muted_ && !talking_; }
  void update(const PartyReport& report);
  std::string status_of(const PartyReport& report) const;
  ui::Microphone microphone(const PartyReport& report) const;

  void on_picture(int seat, const std::string& name, media::ShownPicture picture);
  void on_own_picture(const media::VideoFrame& picture);
  void on_notice(const std::string& text);
  void on_ended(ExitCode code, const std::string& why);

  const PartyOptions options_;
  boost::asio::io_context& io_;
  ui::CallWindow* const window_;
  HostedCall* const hosted_;
  const std::shared_ptr<OutputLog> output_log_;  // empty: none
  ui::CallModel model_;
  std::vector<ui::TileModel> tiles_;  // of the last turn
  LinkSigns links_;
  const bool shows_everybody_;  // else whom the arguments name
  std::string pinned_;
  bool muted_;
  bool talking_ = false;  // the key to talk is held
  bool publishing_ = options_.source.has_value();
  bool sharing_ = false;
  std::mutex mutex_;  // guards the three
  std::map<int, Picture> pictures_;
  std::vector<std::string> notices_;
  std::optional<media::VideoFrame> own_;
  ProgramRun run_;
  std::optional<LineInput> criteria_;
  std::optional<RoomSound> sound_;
  PlayedSeats seats_;
  RoomParty party_;
};

}  // namespace qvid::app
