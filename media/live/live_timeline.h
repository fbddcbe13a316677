// The live timeline of one viewer at the sender. Source: 000 section 5.1 and figure 5.2.
//
//    due            encoded                           too late to send
//    |---- 1 frame ----|---- transmit window: N frames ----|
//                 output event                        expire event
//
// A frame leaves when it has been encoded (there its due time is counted back from: unit_wire.h). At
// the expire event what is unsent is cancelled. A unit that later frames need expires with the last
// of them (GOP-aware); where a group of pictures ends early, with the real end. Where the encoder
// is told of what is lost and refers to something older instead, waiting that long only holds up
// what could be shown: such a unit then expires kPatience frames after its own frame at the latest.
// What falls due while nobody polls is given at the next poll, in order.
//
// When it is shown is the player's (media/playout/playout_delay.h). Bound: kMaxFrames frames are remembered; beyond, the
// oldest expire early, at the next poll (poll after every on_frame). Pure: `now` goes in, what to
// do comes out. Thread: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "media/unit/timeline_frames.h"
#include "media/unit/unit_wire.h"

namespace qvid::media {

class LiveTimeline {
 public:
  static constexpr std::size_t kMaxFrames = 1024;
  // A peak of four mean frames, which a rate control allows, and half as much before it. What is given
  // up sooner is sent in vain: the next picture refers to something older, and is as large.
  static constexpr int kPatience = 6;

  // `window`: transmit window in frames, kMinWindow..kMaxWindow.
  LiveTimeline(FrameRate rate, int window);

  // From the next frame on. As in the constructor.
  void set_window(int window);
  // From the next frame on: the encoder refers to nothing that was lost here.
  void set_encoder_informed(bool informed) { informed_ = informed; }

  // Forgets all frames.
  void clear() {
    entries_.clear();
    last_due_.reset();
  }

  // A frame has been encoded. Numbers rise; the first frame should be a synchronisation point.
  void on_frame(std::shared_ptr<const WireFrame> frame);

  struct Output {
    std::shared_ptr<const WireFrame> frame;
    std::vector<Timestamp> unit_expiry;  // by unit, as planned
    Timestamp header_expiry;             // with the last of the units
  };
  struct Expire {
    FrameNumber number;
    std::uint8_t layer = 0;
  };
  struct Decisions {
    std::vector<Output> outputs;
    std::vector<Expire> expired;
  };
  // What is due by `now`: outputs first.
  Decisions poll(Timestamp now);
  // When poll has something to give; kNever where nothing is planned.
  Timestamp next_event() const;

  Timestamp output_time(const CodedFrame& frame) const {
    return frame.due + rate_.time_of(kSetupFrames);
  }
  // Frames given out later than the timeline says, because the encoder was late.
  std::int64_t late_outputs() const { return late_outputs_; }
  std::size_t remembered() const { return entries_.size(); }

 private:
  struct UnitState {
    std::uint8_t layer = 0;
    Timestamp expiry;
    bool expired = false;
  };
  struct Entry {
    std::shared_ptr<const WireFrame> frame;  // released at output
    FrameNumber number;
    Timestamp output;
    Timestamp expire;  // of the frame itself
    std::vector<UnitState> units;
    bool given = false;
  };
  void end_group(std::uint8_t layer, FrameNumber first_of_next, Timestamp last_expiry);

  FrameRate rate_;
  int window_;
  bool informed_ = false;
  std::optional<Timestamp> last_due_;
  std::deque<Entry> entries_;
  std::int64_t late_outputs_ = 0;
};

}  // namespace qvid::media
