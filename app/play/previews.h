// Which previews a viewer of stored video asks for, and those that have come.
//
// A video has kSteps places, evenly spread, of which there are previews. What is pointed at is asked
// for, one at a time; while an answer is on its way the viewer may point elsewhere, and that is asked
// for next.
//
// Bounds: a picture a place (preview_decoder.h has its size). Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/units.h"
#include "media/picture/video_frame.h"

namespace qvid::app {

class Previews {
 public:
  static constexpr std::int64_t kSteps = 120;
  // So long an answer is waited for, and so long the same is not asked for again.
  static constexpr Duration kPatience = 2s;

  // Of a video of this length from now on: of another one all is forgotten. Zero: not known, and
  // there are none.
  void set_duration(Duration duration);
  // The place to ask for now, where `pointed` is pointed at; empty: nothing.
  std::optional<Duration> ask(std::optional<Duration> pointed, Timestamp now);
  void on_picture(Duration place, media::VideoFrame picture);
  // What is known of that place; null: nothing yet.
  const media::VideoFrame* at(Duration place) const;

 private:
  std::int64_t step_of(Duration place) const;
  Duration place_of(std::int64_t step) const { return duration_ * step / kSteps; }

  struct Question {
    std::int64_t step = 0;
    Timestamp at{};
    bool answered = false;
  };

  Duration duration_{};
  std::optional<Question> asked_;  // last
  std::map<std::int64_t, media::VideoFrame> pictures_;
};

}  // namespace qvid::app
