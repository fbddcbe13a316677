// What a player of live video does when: messages and `now` go in, frames to decode and pictures to
// show come out. The thread that waits and decodes is Playback's.
//
//   decoded   when all of it has come, with what it depends on, at most kDecodeFrames ahead; else with
//             what has come when there is just time to decode it before it is shown (early: up to a
//             quarter frame later where the one before had all layers), or, where the base is
//             missing, as soon as that is there or a later frame is due that can be decoded
//   shown     at its time (playout_clock.h, playout_delay.h); what is decoded later than that at
//             once, where it is newer than what is shown
//   lost      without header or base when a newer one is shown; without base by the deadline while
//             a newer header is there; or later than the deadline while a newer one is there
//
// How late is still shown, by what depends on it:
//   early, smooth         however late, and the playout clock follows it
//   where sound leads     within 2 kLipSlack: a picture of what was heard long ago is wrong
//   fixed                 a frame time (000 section 5.1)
// In the last two a picture that has stood for kStarved gives way to any newer one. Early, the first
// picture behind such a gap is shown as soon as its target has it: how late those before it were is
// nothing to it.
//
// An outage says nothing of the path: nothing came for longer than anything is waited for, and then
// what had been on its way comes, late. It is shown, but how late it is counts neither as a need nor
// for the playout clock, so that the first picture behind it is as early as before.
//
// Nor does a machine that stood (on_stood).
//
// With a PresentationClock the picture of an instant is shown when its sound is heard: sound is
// told what lag the picture needs, and while it leads, the playout clock follows it, looked at
// every kFollow.
//
// Queues: the assembler (bounded, frame_assembler.h); decoded pictures that wait for their show
// time: at most kMostPending, then the oldest is shown at once; records that nobody took: of a gap
// in the numbers at most kMaxGapRecords, the latest.
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
#include "media/playout/playout_delay.h"
#include "media/playout/recent_sum.h"
#include "media/sound/presentation_clock.h"

namespace qvid::media {

struct ShownPicture {
  DecodedFrame decoded;
  Duration delay{};  // capture to shown
};

// What became of a frame, for reports.
struct FrameRecord {
  FrameNumber number;
  Timestamp captured{};               // server's clock; of a frame without a header, reckoned
  Timestamp shown{};                  // ours; of a lost one, when it would have been
  std::optional<std::uint8_t> layer;  // the highest shown; empty: lost
  Duration delay{};                   // capture to shown; zero where lost
};

class PlaybackEngine {
 public:
  static constexpr std::int64_t kMaxGapRecords = kMaxWindow;
  static constexpr std::size_t kMostPending = kDecodeFrames + 2;
  // A picture that has stood for so long gives way to a newer one, however late that comes.
  static constexpr Duration kStarved = std::chrono::milliseconds(100);

  static constexpr Duration kFollow = std::chrono::milliseconds(10);
  // So long after sound began to lead, errors count in PlaybackStats::sync_errors.
  static constexpr Duration kSyncSettled = std::chrono::seconds(5);

  // `window`: transmit window in frames, kMinWindow..kMaxWindow.
  PlaybackEngine(FrameRate rate, int window, PlayoutMode mode = PlayoutMode::kEarly);

  // Of the party that is played; null: picture alone, on its own timeline.
  void present_with(std::shared_ptr<PresentationClock> clock) { presentation_ = std::move(clock); }

  // A message of the stream; what is malformed is counted and left. True where next_event may have
  // become earlier.
  bool on_message(std::uint64_t position, const Payload& payload, Timestamp arrival);
  // Nothing ran on this machine until now: what comes next has waited for that, and not for its path.
  void on_stood(Timestamp now);
  void set_least_round_trip(Duration rtt) { least_round_trip_ = rtt; }
  void keep_records(bool keep) { keep_records_ = keep; }

  // When one of the two polls has something to give; kNever where nothing is planned.
  Timestamp next_event() const;

  // Pictures whose time has come, one a call.
  std::optional<ShownPicture> poll_shown(Timestamp now);

  struct DecodeTask {
    FrameNumber number;  // the one to show
    Timestamp captured{};
    Timestamp began{};
    std::vector<ReceivedFrame> frames;  // in order; earlier ones for the sake of later ones
  };
  using Decoded = Result<std::optional<DecodedFrame>>;
  // A frame whose decode time has come. On it follows on_decoded before the next poll.
  std::optional<DecodeTask> poll_decode(Timestamp now);
  // What became of each of task.frames.
  void on_decoded(const DecodeTask& task, std::vector<Decoded> results, Timestamp now);

  // In the order in which fates were known: a frame is lost before earlier ones are shown.
  std::vector<FrameRecord> take_records() { return std::exchange(records_, {}); }

  PlaybackStats stats(Timestamp now) const;

 private:
  struct Pending {
    ShownPicture picture;
    Timestamp captured;
  };
  bool on_header(FrameHeaderMessage header, Timestamp arrival);
  bool on_unit(const UnitMessage& message, Timestamp arrival);
  void note_need(const FrameHeaderMessage& header, std::uint8_t layer, Timestamp arrival);
  void on_arrival(Timestamp now);
  bool cut_off(Timestamp captured) const;
  void follow_target(Timestamp now);
  void follow_sound(Timestamp now);
  Timestamp deadline(Timestamp captured) const;
  Timestamp latest_decode_time(const FrameHeaderMessage& header) const;
  // As early as the picture alone allows.
  bool is_early() const { return delay_.mode() == PlayoutMode::kEarly && !clock_.follows(); }
  // Early, and behind the next number: frames before it are lost, or come too late.
  bool ends_gap(const FrameHeaderMessage& header) const;
  // When the picture on show has stood for kStarved.
  Timestamp stood_at() const { return stats_.last_shown + kStarved; }
  Timestamp show_time(const FrameHeaderMessage& header) const;
  Timestamp decode_time(const FrameHeaderMessage& header) const;
  const FrameHeaderMessage* next_to_decode(Timestamp now) const;
  void count_gap(FrameNumber number, Timestamp captured);
  void count_base(const FrameHeaderMessage& header, Timestamp now);
  Duration bearable_lateness() const;
  bool show(DecodedFrame frame, Timestamp now);
  bool starved(Timestamp now) const;
  void count_shown(const Pending& pending, Timestamp now);
  void record(const FrameRecord& record);

  FrameRate rate_;
  FrameAssembler assembler_;
  PlayoutDelay delay_;
  PlayoutClock clock_;
  std::shared_ptr<PresentationClock> presentation_;
  std::optional<Timestamp> followed_;  // sound leads, as it was seen last
  std::optional<Timestamp> first_led_;
  Duration least_round_trip_{};
  std::deque<Pending> pending_;
  std::vector<FrameRecord> records_;
  bool keep_records_ = false;
  PlaybackStats stats_;
  std::optional<Timestamp> first_message_;
  Timestamp last_message_{};
  Timestamp outage_until_{};
  Duration missed_{};  // the most that bases needed which have not come, since the last message
  RecentSum recent_shown_;
  RecentSum recent_bytes_;
  bool sharp_ = false;                       // the latest picture had all layers
  std::optional<FrameNumber> last_planned_;  // the newest that is shown, or waits to be
  std::optional<FrameNumber> last_taken_;
};

}  // namespace qvid::media
