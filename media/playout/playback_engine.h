// What a player of live video does when: messages and `now` go in, frames to decode and pictures to
// show come out. The thread that waits and decodes is Playback's.
//
// At a frame's decode time it takes what has come of it from the assembler; what was decoded waits
// for its show time. With header or base missing the frame is dropped. Source: 000 section 5.1,
// figure 5.2. Each frame tells the window policy, if there is one, how much window it needed.
//
// With a PresentationClock the picture of an instant is shown when its sound is heard: sound is
// told what lag the picture needs, and while it leads, the playout clock follows it, looked at
// every kFollow. A sender's due times are evenly spaced and captures are not: between the two
// stands the mean of due - captured.
//
// Queues: the assembler (bounded, frame_assembler.h); decoded pictures that wait for their show
// time: at most kDecodeFrames + 1, then the oldest is shown at once; records that nobody took: of a
// gap in the numbers at most kMaxGapRecords, the latest.
//
// Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "media/codec/decoder.h"
#include "media/playout/frame_assembler.h"
#include "media/playout/playback_stats.h"
#include "media/playout/playout_clock.h"
#include "media/playout/recent_sum.h"
#include "media/playout/window_policy.h"
#include "media/sound/presentation_clock.h"

namespace qvid::media {

struct ShownPicture {
  DecodedFrame decoded;
  Duration delay{};  // capture to shown
};

// What became of a frame, for reports.
struct FrameRecord {
  FrameNumber number;
  Timestamp due{};                    // server's clock; of a frame without a header, reckoned
  Timestamp shown{};                  // ours; of a lost one, when it would have been
  std::optional<std::uint8_t> layer;  // the highest shown; empty: lost
  Duration delay{};                   // capture to shown; zero where lost
};

class PlaybackEngine {
 public:
  static constexpr std::int64_t kMaxGapRecords = kMaxWindow;
  // A picture that has stood for so long gives way to a newer one, however late that comes.
  static constexpr Duration kStarved = std::chrono::milliseconds(100);

  static constexpr Duration kFollow = std::chrono::milliseconds(10);
  // So long after sound began to lead, errors count in PlaybackStats::sync_errors.
  static constexpr Duration kSyncSettled = std::chrono::seconds(5);

  // `window` in frames, kMinWindow..kMaxWindow; with `automatic` only to begin with.
  PlaybackEngine(FrameRate rate, int window,
                 std::optional<WindowPolicyOptions> automatic = std::nullopt);

  // Of the party that is played; null: picture alone, on its own timeline.
  void present_with(std::shared_ptr<PresentationClock> clock) { presentation_ = std::move(clock); }

  // A message of the stream; what is malformed is counted and left. True where next_event may have
  // become earlier.
  bool on_message(std::uint64_t position, const Payload& payload, Timestamp arrival);
  // Show times move there smoothly (playout_clock.h).
  void set_window(int window, Timestamp now);
  void set_least_round_trip(Duration rtt) { least_round_trip_ = rtt; }
  void keep_records(bool keep) { keep_records_ = keep; }

  // When one of the two polls has something to give; kNever where nothing is planned.
  Timestamp next_event() const;

  // Pictures whose time has come, one a call.
  std::optional<ShownPicture> poll_shown(Timestamp now);

  struct DecodeTask {
    FrameNumber number;  // the one to show
    Timestamp captured{};
    Timestamp due{};
    std::vector<ReceivedFrame> frames;  // in order; earlier ones for the sake of later ones
  };
  using Decoded = Result<std::optional<DecodedFrame>>;
  // A frame whose decode time has come. On it follows on_decoded before the next poll.
  std::optional<DecodeTask> poll_decode(Timestamp now);
  // What became of each of task.frames.
  void on_decoded(const DecodeTask& task, std::vector<Decoded> results, Timestamp now);

  // The automatic window, where it has changed since it was last asked for: to be told to the
  // server and, as far as it agrees, to set_window. Empty before the first frame.
  std::optional<int> take_wanted_window();
  // In the order in which fates were known: a frame is lost before earlier ones are shown.
  std::vector<FrameRecord> take_records() { return std::exchange(records_, {}); }

  PlaybackStats stats(Timestamp now) const;

 private:
  struct Pending {
    ShownPicture picture;
    Timestamp captured;
    Timestamp due;
  };
  void on_header(FrameHeaderMessage header, Timestamp arrival);
  void on_unit(UnitMessage message, Timestamp arrival);
  void tell_needs(const FrameHeaderMessage& header, Timestamp arrival);
  void follow_sound(Timestamp now);
  void count_gap(FrameNumber number, Timestamp due, Timestamp now);
  void count_base(const FrameHeaderMessage& header, Timestamp now);
  void show(DecodedFrame frame, Timestamp captured, Timestamp due);
  void show_late(DecodedFrame frame);
  bool starved(Timestamp now) const;
  void count_shown(const Pending& pending, Timestamp now);
  void record(const FrameRecord& record);

  FrameRate rate_;
  FrameAssembler assembler_;
  PlayoutClock clock_;
  std::shared_ptr<PresentationClock> presentation_;
  std::optional<Duration> due_after_capture_;  // the mean, recent
  std::optional<Timestamp> followed_;          // sound leads, as it was seen last
  std::optional<Timestamp> first_led_;
  std::optional<WindowPolicy> policy_;
  int told_window_;
  Duration least_round_trip_{};
  std::deque<Pending> pending_;
  std::vector<FrameRecord> records_;
  bool keep_records_ = false;
  PlaybackStats stats_;
  std::optional<Timestamp> first_message_;
  RecentSum recent_shown_;
  RecentSum recent_bytes_;
  std::optional<FrameNumber> last_planned_;  // the newest that is shown, or waits to be
  std::optional<FrameNumber> last_taken_;
};

}  // namespace qvid::media
