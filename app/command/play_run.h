// `qvid play` while it runs: the player, what its window shows, and what its keys do.
//
// Queues: the latest picture, the latest preview, and kMostNotices. Thread: main's, but for notices,
// which come from any; pictures come from decode threads.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/command/program_run.h"
#include "app/play/player.h"
#include "app/play/preview_decoder.h"
#include "app/play/previews.h"
#include "media/picture/latest_frame.h"
#include "ui/player/player_window.h"
#include "ui/window/notice_board.h"

namespace qvid::app {

// What a viewer would do with keys, told beforehand: for scripts and measurements.
struct Timed {
  Duration at{};    // since the first picture
  Duration what{};  // the place to go to, or how long to pause
};

// When a run ends by itself; 0: never.
struct PlayLimits {
  double seconds = 0;  // since the start
  int pictures = 0;
};

class PlayRun {
 public:
  static constexpr std::size_t kMostNotices = 4;

  // `window`: null: without one; it outlives this.
  PlayRun(PlayerOptions options, std::unique_ptr<media::SoundOutput> speaker,
          std::shared_ptr<OutputLog> output_log, ui::PlayerWindow* window);

  // Before run().
  void seek(const Timed& seek);
  void pause(const Timed& pause);
  // In the window for a while. Any thread.
  void show_notice(const std::string& text);
  ExitCode run(const PlayLimits& limits);
  PlayerReport report() const { return player_.report(); }
  const std::optional<media::DecodedFrame>& last_picture();

 private:
  void turn();
  void describe(Timestamp now);
  std::string status_text(const std::string& trouble, Timestamp now) const;
  void take_notices(Timestamp now);
  void act(ui::KeyCommand command);
  void on_picture(media::ShownPicture picture);
  void on_first_picture();
  void show_preview(Timestamp now);
  template <class F>
  void on_network(F f) {
    boost::asio::post(io_, std::move(f));
  }
  // A seek or a speed, which live video does not know.
  template <class F>
  void go(F f);

  const Url url_;
  const std::shared_ptr<OutputLog> output_log_;  // empty: none
  ui::PlayerWindow* const window_;
  boost::asio::io_context io_{1};
  media::Latest<media::ShownPicture> latest_;
  media::Latest<std::pair<Duration, media::VideoFrame>> preview_;  // of that place
  Previews previews_;
  std::optional<media::DecodedFrame> last_;
  std::vector<Timed> seeks_;
  std::vector<Timed> pauses_;
  int limit_ = 0;  // of pictures
  int came_ = 0;   // of those; the decode thread's
  ui::OverlayModel model_;
  Timestamp described_{};  // when the model was made
  bool stored_ = false;
  ui::NoticeBoard notices_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::string> new_notices_;
  ProgramRun run_;
  PreviewDecoder preview_decoder_;
  Player player_;
};

}  // namespace qvid::app
