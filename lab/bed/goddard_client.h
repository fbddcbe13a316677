// Goddard's client, which the thesis calls Gplayer (004 section 5.2.2): asks for a pair of packets,
// then for a scale, holds what comes and plays it.
//
//   asking      a pair has not come: asked for again every 2 s
//   buffering   frames are held, and come at 1.5 times their rate, until 5 s are there
//   playing     a frame is shown one frame time after the one before; one that is missing while later
//               ones are there is lost, and its time passes without a picture; where nothing is
//               left, it buffers again (re-buffering)
//
// The video has no end. Events come in the order of time. Bound: kMostHeld frames are held, and what
// comes beyond is not shown. Pure. Thread: one at a time.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "lab/bed/goddard_result.h"
#include "lab/bed/goddard_scaling.h"
#include "media/stored/streaming_measures.h"

namespace qvid::lab {

class GoddardClient {
 public:
  static constexpr std::size_t kMostHeld = 4096;
  static constexpr std::size_t kMostIntervals = 100'000;

  // Times in the result count from `begin`. `by_losses` as of GoddardScaling.
  GoddardClient(Timestamp begin, bool by_losses, const GoddardRules& rules = {});

  // The viewer asks for the video.
  void open(Timestamp now);
  // Both packets of a pair have come: as large as that, and so long one behind the other.
  void on_pair(ByteCount packet, Duration dispersion, Timestamp now);
  void on_frame(std::uint32_t number, int scale, Timestamp now);
  // Does what is due.
  void turn(Timestamp now);
  // When that is; kNever: nothing is.
  Timestamp next_turn() const;

  // What the server is to be told; empty: nothing new.
  std::optional<GoddardRequest> take_request() { return std::exchange(request_, std::nullopt); }
  int scale() const { return scaling_.scale(); }
  Duration held() const { return held_time_; }
  GoddardResult result(Timestamp now) const;

 private:
  enum class State : std::uint8_t { kIdle, kAsking, kBuffering, kPlaying };
  void ask_for_pair(Timestamp now);
  void ask_for_scale();
  void hold(std::uint32_t number, int scale);
  void play(Timestamp at);
  void measure(std::uint32_t number, int scale, Timestamp now);

  Timestamp begin_;
  GoddardRules rules_;
  GoddardScaling scaling_;
  State state_ = State::kIdle;
  Timestamp ask_again_ = kNever;
  std::optional<GoddardRequest> request_;
  std::map<std::uint32_t, int> held_;  // scales of frames, by number
  Duration held_time_{};
  std::uint32_t next_ = 0;  // to be shown
  Timestamp due_ = kNever;  // then
  media::StreamingMeasures measures_;
  GoddardResult result_;
  std::optional<std::uint32_t> last_received_;
  Timestamp last_reception_{};
};

}  // namespace qvid::lab
