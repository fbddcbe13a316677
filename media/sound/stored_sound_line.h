// The packets of a stored video's sound by their places, and the samples from any of these on.
//
//   packets  ..|--|--|--|     |--|--|--|..      place ->         from a stream, in any order
//   samples      ^ go(place)  ^ silence, or what is missing
//
// Gaps. Where the packets on both sides have neighbouring numbers, nothing was there: silence. Else
// packets are missing: kConcealed of it is made up, the rest is silence, and all is counted. Places
// that differ from where the samples have come to by up to kSlack join without a gap; place() is
// then corrected.
//
// Entry. Opus finds its state while it decodes the kPreRoll before a place (RFC 7845, section 4.6).
//
// Bounds: kMaxPackets and kMaxBytes, then a packet is refused; those played more than kHistory ago
// are forgotten. Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "media/sound/sound_codec.h"
#include "media/sound/sound_packet.h"
#include "media/sound/sound_playout_stats.h"

namespace qvid::media {

class StoredSoundLine {
 public:
  static constexpr Duration kPreRoll = std::chrono::milliseconds(80);
  static constexpr Duration kConcealed = std::chrono::milliseconds(60);
  static constexpr Duration kSlack = std::chrono::milliseconds(10);
  // Longer than outputs are ahead of what is heard: after a pause playing goes back by that.
  static constexpr Duration kHistory = std::chrono::seconds(2);
  static constexpr std::size_t kMaxPackets = 4096;  // 82 s of 20 ms
  static constexpr ByteCount kMaxBytes = ByteCount(4 * 1024 * 1024);

  explicit StoredSoundLine(std::unique_ptr<SoundDecoder> decoder) : decoder_(std::move(decoder)) {}

  // A packet of the seek epoch; `captured` is its place.
  void add(std::uint64_t number, SoundPacket packet);
  void add_malformed() { ++stats_.malformed; }
  // No more come: what is missing at the end is silence.
  void end() { ended_ = true; }
  // Another seek epoch, whose numbers begin at 0. What is decoded remains until `go`.
  void clear();

  // The next frame is that of this place.
  void go(Duration place);
  Duration place() const;
  // The next so many stereo frames, which stay the next ones until they are dropped.
  std::span<const float> peek(std::size_t frames);
  // Precondition: no more than were looked at.
  void drop(std::size_t frames);

  std::size_t packets() const { return packets_.size(); }
  const SoundPlayoutStats& stats() const { return stats_; }

 private:
  struct Entry {
    std::uint64_t number = 0;
    SoundPacket packet{};
  };
  using Packets = std::map<Duration, Entry>;
  std::size_t ready_frames() const { return ready_.size() / 2; }
  bool fits(const SoundPacket& packet) const;
  bool has_room(const SoundPacket& packet);
  // Decodes or makes up some more.
  void step();
  void play(const Packets::const_iterator& next);
  void fill(const Packets::const_iterator& next);
  void forget_old();

  std::unique_ptr<SoundDecoder> decoder_;
  Packets packets_;
  ByteCount bytes_;
  bool ended_ = false;
  bool entered_ = false;  // there was a `go`

  std::vector<float> ready_;                  // decoded, not dropped
  Duration decoded_{};                        // place of the frame after ready_
  Duration last_ = kNowhere;                  // place of the packet decoded last
  std::optional<std::uint64_t> last_number_;  // its number; empty: none since `go`
  bool silence_follows_ = false;              // it said so
  Duration missing_{};                        // of the gap at hand
  bool counts_ = true;                        // not of a pre-roll
  SoundPlayoutStats stats_;

  static constexpr Duration kNowhere = Duration::min();
};

}  // namespace qvid::media
