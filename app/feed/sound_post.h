// Packets on their way from the sound thread to the network thread.
//
// Queue: packets posted and not yet handled, kMost; beyond, the newer is dropped and counted.
// Thread: post the sound thread's; the rest, and what handles them, the io_context's.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "media/sound/sound_packet.h"

namespace qvid::app {

class SoundPost {
 public:
  static constexpr int kMost = 64;

  // Nothing is handled once this is gone; nobody posts any more by then.
  SoundPost(boost::asio::io_context& io, std::function<void(const media::SoundPacket&)> handle)
      : io_(io), handle_(std::move(handle)) {}

  void post(media::SoundPacket&& packet) {
    if (waiting_ >= kMost) {
      ++dropped_;
      return;
    }
    ++waiting_;
    boost::asio::post(io_, [this, weak = std::weak_ptr(alive_), packet = std::move(packet)] {
      if (weak.expired()) return;
      --waiting_;
      handle_(packet);
    });
  }
  std::int64_t dropped() const { return dropped_; }

 private:
  boost::asio::io_context& io_;
  const std::function<void(const media::SoundPacket&)> handle_;
  std::atomic<int> waiting_ = 0;
  std::atomic<std::int64_t> dropped_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace qvid::app
