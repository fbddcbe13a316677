// The sound of a stored video as packets of Opus, encoded while it is read.
//
//   file -> SourceSound (decodes, 48 kHz stereo) -> SoundEncoder -> packets; `captured`: their
//   place
//
// The file is opened once more: pictures and sound are read each at their own pace, and a seek of
// one is none of the other. Places are counted from the first picture; sound before it is left out.
// The last packet before a silence that the file has no sound for says so (`last`), so that nobody
// takes it for a loss.
//
// Sound that cannot be read any further ends; a seek may find it again. Private to media. Thread:
// one, blocking; a stop token ends a wait between two packets of the file.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/sound/sound_codec.h"
#include "media/sound/sound_packet.h"
#include "media/sound/sound_queue.h"
#include "media/source/ffmpeg_open.h"
#include "media/source/source_sound.h"

namespace qvid::media {

class SoundTrack {
 public:
  // `origin`: the timestamp of the first picture. Null: the file has no sound. Error: it has some
  // that cannot be had.
  static Result<std::unique_ptr<SoundTrack>> open(const std::string& path, Duration origin,
                                                  const std::stop_token& stop);

  // Adds what is whole of the sound before `until`, as far as it was not given.
  void read(Duration until, const std::stop_token& stop, std::vector<SoundPacket>& packets);
  // Adds what was kept to see whether it is the last.
  void finish(std::vector<SoundPacket>& packets);
  // The sound from this place on is next.
  void seek(Duration to, const std::stop_token& stop);

 private:
  SoundTrack(std::string path, Duration origin) : path_(std::move(path)), origin_(origin) {}
  // Empty: it is open. `none`: whether the reason is that there is no sound.
  std::optional<Error> open_input(const std::stop_token& stop, bool& none);
  // Anew: what was decoded is forgotten.
  std::optional<Error> open_sound();
  // The next packet of the sound, in packet_. False: there is none.
  bool next_packet(const std::stop_token& stop);
  Duration time_of_packet() const;  // the file's; where it has none, where reading has come to
  enum class Found { kThere, kBehind, kCannot };
  // Goes to `earliest`, and on to what is needed of the sound at `to`. kBehind: all that comes is
  // behind `to`.
  Found go(Duration earliest, Duration to, const std::stop_token& stop);
  void skip_to(Duration to, const std::stop_token& stop);
  void encode(const SoundBlock& block, std::vector<SoundPacket>& packets);
  void end(std::vector<SoundPacket>& packets);

  const std::string path_;
  const Duration origin_;
  std::unique_ptr<InputGuard> guard_ = std::make_unique<InputGuard>();  // before what asks it
  DecodedInput in_;
  std::shared_ptr<SoundQueue> queue_;
  std::unique_ptr<SourceSound> sound_;
  std::unique_ptr<SoundEncoder> encoder_;
  AvPacketPtr packet_ = new_av_packet();
  std::vector<SoundPacket> made_;
  std::optional<SoundPacket> kept_;  // until it is known whether it is the last
  Timestamp encoded_{};              // the end of what the encoder was given
  bool at_end_ = false;
  bool ended_ = false;  // and the encoder was emptied
};

}  // namespace qvid::media
