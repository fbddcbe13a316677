// When which frame of a party's sound is heard: packets and turns of the output go in, frames come
// out. SoundPlayout is its shell.
//
//   lag    = heard - captured                       of the frame that is heard
//   target = max(needed by arrivals or expected to be + kMargin, needed by the picture), at most
//            kMostDelay beyond the path's transit   (jitter_meter.h, presentation_clock.h)
//
// lag follows target:
//   in silence, or where it is quiet   frames are left out or repeated, which nobody hears; at most
//                                      half of a turn while a picture follows
//   more than kHysteresis off          10 % faster or slower, 25 % where it is far off, once
//                                      enough has come that the stretcher may look ahead; before
//                                      that, slower by repeating periods of what was just heard
//   more than kFar too late            the frames between are left out at once, at the next quiet
//                                      place or after half a second
//
// What comes after what:
//   a gap in the times alone           silence, which is not sent
//   a gap in the numbers               concealed where its turn has come and something later is
//                                      there; then silence. The missing packet counts as late
//                                      where it comes yet, and as lost
//   nothing there, speech expected     concealed for kConceal, fading; then silence. Playing waits
//                                      where it is, at most kMostWait; then time goes on. A packet
//                                      that comes then is played all the same, as long as its lag
//                                      is bearable: lag has grown by the gap
//   numbers or times that step         begins anew
//
// Every turn tells PresentationClock, in silence too, until nothing has come for kIdle.
//
// Bounds: jitter_buffer.h; arrivals between two turns, as many; the line, a packet and what the
// stretcher looks ahead. Any packets and times are harmless. Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "media/sound/jitter_buffer.h"
#include "media/sound/jitter_meter.h"
#include "media/sound/presentation_clock.h"
#include "media/sound/sound_codec.h"
#include "media/sound/sound_playout_line.h"
#include "media/sound/sound_playout_stats.h"
#include "media/sound/time_stretcher.h"

namespace qvid::media {

class SoundPlayoutEngine {
 public:
  static constexpr Duration kMargin = std::chrono::milliseconds(5);
  static constexpr Duration kMostDelay = std::chrono::seconds(2);
  static constexpr Duration kHysteresis = std::chrono::milliseconds(15);
  static constexpr Duration kSettled = std::chrono::milliseconds(3);
  static constexpr Duration kFarOff = std::chrono::milliseconds(100);
  static constexpr Duration kFar = std::chrono::seconds(1);
  static constexpr Duration kConceal = std::chrono::milliseconds(80);
  static constexpr Duration kMostWait = std::chrono::milliseconds(300);
  static constexpr Duration kIdle = std::chrono::seconds(30);
  // Capture times that differ by less from where the packet before ended follow it.
  static constexpr Duration kTolerance = std::chrono::milliseconds(5);
  // So many in a row that are too late are a stream that has begun anew.
  static constexpr int kMostLateInARow = 50;

  SoundPlayoutEngine(std::unique_ptr<SoundDecoder> decoder,
                     std::shared_ptr<PresentationClock> clock);

  void on_packet(std::uint64_t number, SoundPacket packet, Timestamp arrival);
  void on_malformed() { ++stats_.malformed; }
  // As SoundPlayout::expect_late.
  void expect_late(Duration late) { expected_late_ = late; }
  // As SoundPlayout::pull. `frames`: kSoundTurn of them.
  bool pull(Timestamp heard, std::span<float> frames);
  Duration window() const;
  SoundPlayoutStats stats() const;

 private:
  using Kind = SoundPlayoutLine::Kind;
  struct Arrived {
    Timestamp captured{};
    Duration duration{};
    Timestamp arrival{};
    std::optional<Timestamp> missing{};  // captured, of the first that is missing before it
  };

  Timestamp smooth(Timestamp heard);
  void restart();
  void begin_anew();
  void start(Timestamp heard);
  void take_arrivals(Timestamp heard);
  void set_target(Timestamp heard);
  Timestamp front() const { return line_.frames() > 0 ? line_.front() : end_; }

  // Decodes until there are so many frames, or no more can be had now. `due`: what is missing is
  // made up.
  void supply(std::size_t frames, bool due);
  bool settle_place(const JitterBuffer::Entry& entry);
  void fill_gap(Duration gap, bool missing);
  void decode();
  // Fading: silence in the end.
  std::vector<float> conceal(std::size_t frames);
  double made_up_gain(Duration made_up) const;
  // It is behind us, heard or not.
  void pass(const JitterBuffer::Entry& entry);
  // Makes the samples go on from what is before them.
  void join(std::span<float> samples);
  void on_resumed(const JitterBuffer::Entry& entry);

  // Each gives a turn. Of the last, false: it has too little to go on from, and has given nothing.
  void play(std::span<float> out);
  void play_nothing(std::span<float> out);
  void wait_for_more(std::span<float> out);
  void play_quiet(std::span<float> out);
  void play_plain(std::span<float> out);
  bool play_stretched(std::span<float> out);
  bool wants_stretching();
  void leave_stretching();
  void repeat_if_early();
  bool skip_if_far();
  void skip_to(Timestamp captured);
  void count_gap(Kind kind);
  void finish(std::span<float> out);

  const std::unique_ptr<SoundDecoder> decoder_;
  const std::shared_ptr<PresentationClock> clock_;
  JitterMeter meter_;
  JitterBuffer buffer_;
  SoundPlayoutLine line_;
  TimeStretcher stretcher_;
  SoundPlayoutStats stats_;

  // Arrivals.
  std::deque<Arrived> arrived_;
  std::optional<std::uint64_t> newest_;  // number
  Timestamp newest_end_{};               // its capture's
  bool newest_last_ = false;
  int late_in_a_row_ = 0;
  Timestamp latest_arrival_{};

  // The timeline.
  bool started_ = false;
  bool pulled_ = false;
  Timestamp unheard_to_{};  // what arrives until then is late by an output that stood
  std::uint64_t next_ = 0;  // the number that is decoded next
  Timestamp end_{};         // the capture time after all that was decoded, or has passed in silence
  Timestamp heard_{};       // of this turn's first frame
  Timestamp given_{};       // its capture time
  Duration target_{};
  Duration expected_late_{};
  bool picture_ = false;  // one follows
  bool silent_ = true;    // what comes next is silence
  bool idle_ = true;      // the last turn found nothing
  // Nothing has been there, where speech was expected, for so long and since then.
  std::optional<Duration> starved_;
  Timestamp starved_at_{};
  std::uint64_t starved_number_ = 0;
  Duration made_up_{};  // concealed in a row
  Duration gap_{};      // due and not there, in a row

  // The speed.
  bool stretching_ = false;
  double speed_ = 1.0;
  std::size_t fed_ = 0;  // frames of the line that the stretcher has
  double owed_ = 0;      // a fraction of a frame that it has used up
  bool repeated_ = false;
  int since_repeat_ = 0;  // turns
  std::optional<Timestamp> far_since_;

  // The seam.
  bool seam_ = false;        // this turn does not go on from the last
  std::vector<float> tail_;  // the last frames that were given
};

}  // namespace qvid::media
