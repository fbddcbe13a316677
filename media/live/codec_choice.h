// Which codec a feed is encoded as: the one that is wanted while all who watch decode it, else
// kPlainCodec. Where kAutoCodec is wanted, it is the best one for as long as this machine keeps up:
//
//   best --encoding takes more than kMostLoad of the frame time, for kPatience--> plain
//   plain --after kRest, twice as long after each time in a row, at most kLongestRest--> best
//
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "media/codec/codec.h"

namespace qvid::media {

inline constexpr std::string_view kAutoCodec = "auto";
inline constexpr std::string_view kBestCodec = "av1";

class CodecChoice {
 public:
  static constexpr double kMostLoad = 0.6;  // of the frame time
  static constexpr Duration kPatience = std::chrono::seconds(2);
  static constexpr Duration kRest = std::chrono::seconds(60);
  static constexpr Duration kLongestRest = std::chrono::minutes(16);

  // `wanted`: kAutoCodec, or a codec's name.
  explicit CodecChoice(std::string_view wanted)
      : auto_(wanted == kAutoCodec), wanted_(auto_ ? kBestCodec : wanted) {}

  // What is encoded where nothing is in the way.
  const std::string& wanted() const { return wanted_; }
  std::string codec() const {
    return all_decode_ && !rest_ends_ ? wanted_ : std::string(kPlainCodec);
  }
  // Why it is not what is wanted, in words for a person.
  std::string reason() const {
    if (!all_decode_) return "for who does not decode " + wanted_;
    if (rest_ends_) return wanted_ + " takes too long here";
    return "which all who watch decode";
  }

  void on_decoders(bool all_decode_wanted) { all_decode_ = all_decode_wanted; }
  // What encoding takes of the frame time, in the mean over about a second, now and then.
  void on_load(double load, Timestamp now);

 private:
  bool auto_;
  std::string wanted_;
  bool all_decode_ = true;
  std::optional<Timestamp> high_since_;
  std::optional<Timestamp> rest_ends_;
  std::optional<Timestamp> began_;  // with the best one, after a rest
  Duration rest_ = kRest;           // the next
};

inline void CodecChoice::on_load(double load, Timestamp now) {
  if (!auto_) return;
  if (rest_ends_) {
    if (now < *rest_ends_) return;
    rest_ends_.reset();
    began_ = now;
  }
  // Once it has gone well for as long as it rested, what was is forgotten.
  if (began_ && now - *began_ > rest_) {
    began_.reset();
    rest_ = kRest;
  }
  if (!all_decode_ || load <= kMostLoad) return high_since_.reset();
  if (!high_since_) high_since_ = now;
  if (now - *high_since_ < kPatience) return;
  high_since_.reset();
  rest_ends_ = now + rest_;
  rest_ = std::min(rest_ * 2, kLongestRest);
}

}  // namespace qvid::media
