// What one viewer of live video is sent, and when: its own numbering, timeline, importance and
// dependencies over frames that were encoded once for all. Source: 000 section 5.1.
//
//   frame --> LiveTimeline --output event--> DependencyRule --> sends
//                          --expire event--> cancels
//   on_ended, not arrived --> lost, and all that needed it --> cancels
//   on_header_ended, not arrived --> all of its frame is lost, though its units arrive
//
// What has gone out whole when it expires cannot be cancelled: it is late, not lost, and what needs
// it is of use.
//
// Begins, and begins again after a pause, at a frame in which every layer is a synchronisation
// point; numbers count on without a gap. Only what the viewer can decode is sent: a unit whose
// references are lost is not, and a frame of which nothing is left not even by its header.
// A viewer may also want the lower layers alone.
//
// What is lost is told to the encoder (take_lost) where this viewer is its only one: the next frame
// refers to something older. With several, a broken layer waits for its next synchronisation point;
// for the base, without which there is no picture at all, one is asked for (wants_sync_point).
//
// Bounds: as LiveTimeline and DependencyRule; messages that were taken, which all end. Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/dependency_rule.h"
#include "media/live/adaptation_policy.h"
#include "media/live/live_timeline.h"
#include "media/live/units_under_way.h"

namespace qvid::media {

class LiveSender {
 public:
  LiveSender(const LiveSender&) = delete;
  LiveSender& operator=(const LiveSender&) = delete;

  // `window`: frames, as in LiveTimeline.
  LiveSender(FrameRate rate, int window, AdaptationPolicy policy);

  // A message to send. Every one with a unit is answered by on_ended.
  struct Send {
    std::uint8_t importance = 0;
    std::uint64_t position = 0;
    Timestamp deadline;
    Payload payload;
    std::optional<UnitKey> unit;  // by the encoder's number; empty: the frame's header
    FrameNumber number;           // the receiver's
    std::shared_ptr<const WireFrame> wire;
    std::size_t index = 0;  // of the unit, in the frame
  };
  struct Decisions {
    std::vector<Send> sends;       // of a frame the header first
    std::vector<UnitKey> cancels;  // of those that were sent; some may have ended already
  };

  void on_frame(std::shared_ptr<const WireFrame> frame);
  Decisions poll(Timestamp now);
  Timestamp next_event() const;
  // A unit was taken as the message of that number; they rise. `ticket`: the caller's own.
  void on_taken(UnitKey unit, std::uint64_t message, std::uint64_t ticket) {
    under_way_.hand_on(unit, message, ticket);
  }
  // So was the header of a frame, by the receiver's number.
  void on_header_taken(FrameNumber number, std::uint64_t message) { headers_[message] = number; }
  // What it was taken as; empty: it was not, or that has ended.
  std::optional<std::uint64_t> message_of(UnitKey unit) const {
    return under_way_.message_of(unit);
  }
  // A message has ended: the unit that it was is told of by on_ended. Empty: it was none.
  std::optional<UnitsUnderWay::Entry> take(std::uint64_t message) {
    return under_way_.take(message);
  }
  // A unit arrived, or was cancelled or refused. Gives what is to be cancelled for it.
  std::vector<UnitKey> on_ended(UnitKey unit, bool arrived);
  // Of a message that take knows nothing of. Gives what is to be cancelled for it.
  std::vector<UnitKey> on_header_ended(std::uint64_t message, bool arrived);

  // The receiver will not have that unit, or without `layer` all of the frame: its header could not be
  // sent; or it was lost behind who receives it, and passes it on to one receiver. `number`: as it was
  // sent. Gives what is to be cancelled for it.
  std::vector<UnitKey> on_lost(FrameNumber number, std::optional<std::uint8_t> layer);

  // All that was sent is void (a pause, a session that was away): begins again. Gives what to
  // cancel.
  std::vector<UnitKey> restart();
  void set_window(int window) { timeline_.set_window(window); }
  // No more layers than these are sent from now on, 1 or more: what is not is lost here.
  void set_layers(int most) { layers_ = most; }
  // True: the encoder is told what take_lost gives before it encodes the next frame.
  void set_encoder_informed(bool informed) { timeline_.set_encoder_informed(informed); }
  // What was lost or not sent since the last call, in the encoder's numbers. At most kMostLost; of
  // more the latest.
  std::vector<UnitKey> take_lost();
  bool begun() const { return first_.has_value(); }
  // It cannot begin, or the base is broken, without a synchronisation point.
  bool wants_sync_point() const { return !first_ || rule_.broken(0); }

  std::int64_t frames() const { return frames_; }  // of which something was sent
  std::int64_t late_outputs() const { return timeline_.late_outputs(); }
  std::int64_t not_sent() const { return not_sent_; }  // units: could not have been decoded

 private:
  static constexpr std::size_t kMostLost = 256;

  void output(const LiveTimeline::Output& output, std::vector<Send>& sends);
  bool admit(FrameNumber frame, const CodedUnit& unit);
  std::vector<UnitKey> lose(UnitKey unit);
  void note_lost(UnitKey unit);

  AdaptationPolicy policy_;
  LiveTimeline timeline_;
  int layers_ = kMaxUnits;
  DependencyLog log_;  // by the encoder's numbers
  DependencyRule rule_{log_};
  std::optional<FrameNumber> first_;  // the encoder's number of frame 0 of this viewer
  FrameNumber next_;                  // this viewer's number for a new beginning
  FrameNumber began_;                 // this viewer's number of the latest beginning
  UnitsUnderWay under_way_;
  std::unordered_map<std::uint64_t, FrameNumber> headers_;  // under way, by message
  std::vector<UnitKey> lost_;
  std::int64_t frames_ = 0;
  std::int64_t not_sent_ = 0;
};

}  // namespace qvid::media
