// Small pictures of a stored video's other places, for who points at them: of the place that was asked
// for last.
//
//   ask(place) -> FileIn (its thread: the key frame before it) -> a coded frame on a stream of its own
//
// The frame is told as of the place that was asked for (media/unit/unit_wire.h). Where a file cannot be
// read there, nothing is answered. The reader goes when nobody has asked for kIdle.
//
// Queue: one picture, replaced by that of the next place. Thread: the io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "media/stored/file_in.h"
#include "transport/session/session.h"
#include "transport/socket/timer.h"

namespace qvid::app {

// Of a video of this size, its shape kept: the longer side has 160 pixels at most, each 16 at least.
media::PictureSize preview_size(media::PictureSize video);

class PreviewSender {
 public:
  static constexpr Duration kUseful = 10s;  // after that nobody waits for it
  static constexpr Duration kIdle = 10s;
  static constexpr int kMostFailures = 3;  // of the file; then it is left alone
  static constexpr double kWeight = 0.25;  // of its stream: the video goes first

  // `video`: its size. The session outlives this.
  PreviewSender(boost::asio::io_context& io, paceline::Session& session, std::filesystem::path file,
                media::PictureSize video);
  ~PreviewSender();
  PreviewSender(const PreviewSender&) = delete;
  PreviewSender& operator=(const PreviewSender&) = delete;

  paceline::StreamId stream() const { return stream_; }
  void ask(Duration place);

 private:
  void open();
  void on_failed(const Error& error);
  void send(const media::WireFrame& read);

  boost::asio::io_context& io_;
  paceline::Session& session_;
  const std::filesystem::path path_;
  const media::PictureSize size_;
  const paceline::StreamId stream_;
  std::uint64_t generation_ = 0;
  std::optional<Duration> asked_;  // and not answered
  FrameNumber next_;               // a reader's own begin anew
  std::uint64_t readers_ = 0;      // until now
  int failures_ = 0;
  paceline::Timer idle_;
  std::vector<paceline::MessageId> sent_;  // of the last picture; some may have ended
  std::shared_ptr<int> alive_ = std::make_shared<int>();
  std::unique_ptr<media::FileIn>
      file_;  // from the first question on; last: its callbacks end first
};

}  // namespace qvid::app
