// The two kinds of members of a load test: thin shells around qps::RoomClient.
//
// Ownership: the run's. Thread: the io_context's; callbacks come from the event loop.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/load/load_pattern.h"
#include "pubsub/client/room_client.h"
#include "transport/socket/timer.h"

namespace qvid::lab {

struct LoadOptions {
  paceline::Session::Remote remote;
  paceline::SessionConfig session;
  std::string token;
  DataRate rate;  // of each publisher, positive
  FrameRate items;
  Duration window{};  // for which a detail may wait anywhere
};

// What happens to either; `ended` once, also of one that never joined.
struct LoadEvents {
  std::function<void()> joined;
  std::function<void(const std::string& reason, bool refused)> ended;
};

class LoadPublisher {
 public:
  // `on_item`: an item is sent. Items begin `phase` after the first is wanted.
  LoadPublisher(boost::asio::io_context& io, const LoadOptions& options, const std::string& room,
                std::string name, Duration phase, LoadEvents events,
                std::function<void(Timestamp)> on_item);

  const std::string& name() const { return name_; }
  void close() { client_.close("the load test is over"); }
  // Parts that did not get as far as the broker.
  std::int64_t given_up() const { return given_up_; }

 private:
  void want(bool wanted);
  void tick();

  const LoadOptions& options_;
  std::string name_;
  Duration phase_;
  std::function<void(Timestamp)> on_item_;
  LoadPattern pattern_;
  Payload filling_;
  paceline::Timer timer_;
  Timestamp next_{};
  bool wanted_ = false;
  std::int64_t given_up_ = 0;
  qps::RoomClient client_;
};

class LoadSubscriber {
 public:
  // `on_part`: a part came whole, which was sent then.
  LoadSubscriber(boost::asio::io_context& io, const LoadOptions& options, const std::string& room,
                 const std::string& name, std::vector<std::string> watches, LoadEvents events,
                 std::function<void(std::size_t layer, Timestamp sent, ByteCount size)> on_part);

  void close() { client_.close("the load test is over"); }

 private:
  qps::RoomClient client_;
};

}  // namespace qvid::lab
