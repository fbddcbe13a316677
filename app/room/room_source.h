// What a party publishes on a track of pictures: one source at a time, while it is a member and asked
// to.
//
// The feed goes on while the party joins again; another source takes its place, and the one before
// ends on its own. A camera is opened once those before it are let go: two may be more than a USB bus
// takes, and one is had once. Thread: the io_context's; own pictures on the capture thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/feed/feed.h"
#include "app/room/room_publisher.h"

namespace qvid::app {

class RoomSource {
 public:
  struct Callbacks {
    std::function<void(const media::VideoFrame&)> own_picture;
    // How the source is that was set last.
    std::function<void(const media::SourceSpec&, const media::SourceStatus&)> status;
    std::function<void(const std::string& text)> notice;
    RoomPublisher::Others others;
    std::function<void()> ended;  // by itself; it is not to be begun again
    // What keeps it from giving pictures; empty: nothing any more.
    std::function<void(const std::string& why)> fault = [](const std::string&) {};
  };
  // `apart`: VideoAbout's.
  RoomSource(boost::asio::io_context& io, std::string track, bool apart, int window,
             media::Preference prefer, std::optional<media::LiveInOptions> source,
             Callbacks callbacks)
      : io_(io),
        track_(std::move(track)),
        apart_(apart),
        window_(window),
        prefer_(prefer),
        callbacks_(std::move(callbacks)),
        source_(std::move(source)) {}
  RoomSource(const RoomSource&) = delete;
  RoomSource& operator=(const RoomSource&) = delete;

  // `client` stays until left(), stop(), or until this is destroyed. One before stays until settle(),
  // too, and has the same frames meanwhile.
  void joined(qps::RoomClient& client);
  void settle() { former_.reset(); }
  void left();
  void set(std::optional<media::LiveInOptions> source);
  void stop();
  // There is a source, and it has not ended.
  bool active() const { return source_.has_value(); }
  // What there is, as media::LiveIn has it, until set().
  void freeze(bool on);
  bool frozen() const { return frozen_; }
  // Null: nothing is published now.
  RoomPublisher* publisher() const { return publisher_.get(); }
  // The same with the client before.
  RoomPublisher* former() const { return former_.get(); }

 private:
  void start();
  void on_status(Feed* feed, const media::SourceStatus& status);
  void set_fault(const std::string& why);
  bool waits() const;
  void on_feed_over(Feed* over);

  boost::asio::io_context& io_;
  const std::string track_;
  const bool apart_;
  const int window_;
  const media::Preference prefer_;
  const Callbacks callbacks_;
  std::optional<media::LiveInOptions> source_;
  bool frozen_ = false;
  std::string fault_;  // as it was told
  qps::RoomClient* client_ = nullptr;
  std::vector<std::unique_ptr<Feed>> feeds_;
  Feed* feed_ = nullptr;                      // the one that is published
  std::unique_ptr<RoomPublisher> publisher_;  // these end before their feed
  std::unique_ptr<RoomPublisher> former_;
};

}  // namespace qvid::app
