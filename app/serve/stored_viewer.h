// One viewer of a stored video: a reader of the file for it alone, and Priority-Progress between
// that and its session. Source: 000 section 5.1.
//
//   FileIn (its thread) -> frames -> PriorityProgress -> messages -> Session
//      ^ read_until                    ^ the player's positions, and what became of the messages
//
// A seek epoch is what lies between two seeks. Each has a stream of its own, on which frames are
// numbered from 0: a seek closes the stream, so that all that waits of it goes at once, and little
// is in the socket.
//
// Sound has a stream of its own beside it, whose packets are numbered from 0 too. They go with the
// base, kSoundLead ahead of it, so that neither waits for the other: half a minute of a film's
// sound would else go before the first picture. What the player has passed is not sent.
//
// Pictures of other places, for who points at them, are of a reader and a stream of their own
// (preview_sender.h), which lasts over seeks.
//
// Queues: PriorityProgress's, bounded there; sound that waits, kMaxSound packets, beyond which it
// is dropped. Thread: the io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "app/serve/preview_sender.h"
#include "app/serve/viewer.h"
#include "media/stored/file_in.h"
#include "media/stored/priority_progress.h"
#include "transport/session/session.h"
#include "transport/socket/timer.h"

namespace qvid::app {

class StoredViewer : public Viewer {
 public:
  static constexpr Duration kSoundLead = std::chrono::seconds(1);
  static constexpr std::size_t kMaxSound = 4096;  // 82 s

  StoredViewer(boost::asio::io_context& io, paceline::Session& session, std::filesystem::path file,
               media::StoredOptions options, const PlayRequest& request, Tell tell);
  ~StoredViewer() override;

  void start() override;
  bool on_request(const ClientMessage& request) override;
  void on_message_ended(const paceline::MessageEnded& ended) override;
  ViewerStats stats() const override { return stats_; }

 private:
  // Of a seek epoch, from its first frame on.
  struct SeekEpoch {
    paceline::StreamId stream;
    media::PriorityProgress progress;
    std::map<media::PriorityProgress::Part, paceline::MessageId> pending;
    bool ended = false;  // and the player knows
    std::optional<paceline::StreamId> sound{};
    std::deque<media::StoredSoundMessage> sound_waits{};
    std::uint64_t next_packet = 0;
  };
  void on_opened(const media::StoredInfo& info);
  void on_frame(std::shared_ptr<const media::WireFrame> frame, std::uint64_t generation);
  void on_sound(const std::vector<media::StoredSoundMessage>& messages, std::uint64_t generation);
  void on_end(std::uint64_t generation);
  void on_failed(const Error& error);
  void seek(Duration to);
  void begin(Duration at);
  void poll();
  void send(const media::PriorityProgress::Send& send);
  void send_sound();
  void arm_timer();

  boost::asio::io_context& io_;
  paceline::Session& session_;
  const std::filesystem::path path_;
  const media::StoredOptions options_;
  Tell tell_;
  paceline::Timer timer_;

  std::optional<media::StoredInfo> info_;
  bool playing_ = false;  // the player was told
  bool paused_ = false;
  bool sound_wanted_ = true;
  int layers_;
  Duration wanted_{};  // the place asked for last
  std::uint64_t generation_ = 0;
  std::optional<SeekEpoch> seek_epoch_;
  Duration last_frame_{};  // its place
  Duration read_until_{};
  std::map<paceline::MessageId, media::PriorityProgress::Part> parts_;
  ViewerStats stats_;
  std::unique_ptr<PreviewSender> previews_;  // from the first frame on, where places are known
  std::shared_ptr<int> alive_ = std::make_shared<int>();
  std::unique_ptr<media::FileIn> file_;  // last: its callbacks end first
};

}  // namespace qvid::app
