// The meeting point on the loopback of several namespaces: what browsers tell each other through it
// does not cross the link between them.
//
// Thread: one of its own, which ends with this object.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <list>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "lab/emulator/net_namespace.h"
#include "lab/glass/meeting_point.h"

namespace qvid::lab {

class MeetingServer {
 public:
  static constexpr std::uint16_t kPort = 8000;
  static constexpr std::size_t kMostExchanges = 64;  // more are closed at once

  // Listens at 127.0.0.1:kPort of each. Throws std::system_error where that cannot be had.
  explicit MeetingServer(std::span<const NetNamespace* const> where);
  ~MeetingServer();
  MeetingServer(const MeetingServer&) = delete;
  MeetingServer& operator=(const MeetingServer&) = delete;

  // Any thread.
  std::string kept(const std::string& name) const;

 private:
  class Exchange;

  void accept(boost::asio::ip::tcp::acceptor& acceptor);

  std::size_t open_ = 0;        // connections
  boost::asio::io_context io_;  // with their handlers
  std::list<boost::asio::ip::tcp::acceptor> acceptors_;
  mutable std::mutex mutex_;
  MeetingPoint point_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace qvid::lab
