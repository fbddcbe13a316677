// The sound of one source and those who hear it: the bridge from the sound thread to the network
// thread. Every packet is serialised once, and shared.
//
// While nobody hears it nothing is encoded. Its rate and packets are what the weakest path of its listeners
// takes (sound_rate.h). Ownership: shared by those who hear it and the server; all take themselves
// off before they go. Queue: sound_post.h. Thread: the io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <optional>

#include "app/feed/sound_post.h"
#include "media/sound/sound_engine.h"
#include "media/sound/sound_rate.h"

namespace qvid::app {

class SoundListener {
 public:
  virtual ~SoundListener() = default;
  virtual void on_sound(const media::SoundPacket& packet, const Payload& wire) = 0;
};

class SoundFeed {
 public:
  SoundFeed(boost::asio::io_context& io, media::SoundEngineOptions options);
  ~SoundFeed();
  SoundFeed(const SoundFeed&) = delete;
  SoundFeed& operator=(const SoundFeed&) = delete;

  void add(SoundListener* listener);
  void remove(SoundListener* listener);
  // What the path to that listener carries; told again as it changes.
  void on_path(SoundListener* listener, DataRate path, Timestamp now);

 private:
  void on_packet(const media::SoundPacket& packet);

  std::map<SoundListener*, std::optional<DataRate>> listeners_;  // and their paths, once known
  media::SoundRate rate_;
  std::optional<media::SoundCoding> coding_set_;
  SoundPost post_;
  std::unique_ptr<media::SoundEngine> engine_;  // last: its callbacks end first
};

}  // namespace qvid::app
