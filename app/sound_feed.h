// The sound of one source and those who hear it: the bridge from the sound thread to the network
// thread. Every packet is serialised once, and shared.
//
// While nobody hears it nothing is encoded. Ownership: shared by those who hear it and the server;
// all take themselves off before they go. Queue: packets posted and not yet handled, kMaxPosted;
// beyond, the newer is dropped. Thread: the io_context's.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <vector>

#include "media/sound/sound_engine.h"

namespace qvid::app {

class SoundListener {
 public:
  virtual ~SoundListener() = default;
  virtual void on_sound(const media::SoundPacket& packet, const Payload& wire) = 0;
};

class SoundFeed {
 public:
  static constexpr int kMaxPosted = 64;

  SoundFeed(boost::asio::io_context& io, media::SoundEngineOptions options);
  ~SoundFeed();
  SoundFeed(const SoundFeed&) = delete;
  SoundFeed& operator=(const SoundFeed&) = delete;

  void add(SoundListener* listener);
  void remove(SoundListener* listener);
  void set_rate(DataRate rate) { engine_->set_rate(rate); }

 private:
  void on_packet(const media::SoundPacket& packet);

  boost::asio::io_context& io_;
  std::vector<SoundListener*> listeners_;
  std::atomic<int> posted_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
  std::unique_ptr<media::SoundEngine> engine_;  // last: its callbacks end first
};

}  // namespace qvid::app
