// A server's TLS handshakes, on a thread of their own: what it costs to sign for strangers delays
// nobody at home.
//
//   home (server, callback)                    the thread
//   socket     --- move_socket, queue --->     Handshake::server
//   callback   <--- move_to, post ---------    its result
//
// The thread gives way where the processor is scarce (kGivesWay), so that a flood of handshakes makes
// handshakes slow, and nothing else.
//
// Bound: what waits here are the handshakes that are under way, as many as the owner keeps.
// Thread: home's. The home's io_context outlives it; it outlives its handshakes.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "transport/tls/tls.h"

namespace paceline {

class HandshakeThread {
 public:
  static constexpr int kGivesWay = 10;  // of the 19 steps that a thread can be nice by

  explicit HandshakeThread(boost::asio::io_context& home);
  ~HandshakeThread();
  HandshakeThread(const HandshakeThread&) = delete;
  HandshakeThread& operator=(const HandshakeThread&) = delete;

  // One under way. Destroying it gives it up, and the callback is not called.
  class UnderWay {
   public:
    explicit UnderWay(HandshakeThread& thread) : thread_(thread) {}
    ~UnderWay();
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

   private:
    friend class HandshakeThread;
    struct Work;
    HandshakeThread& thread_;
    std::shared_ptr<Work> work_;
  };

  // As Handshake::server. `socket`: of `home`, nothing under way. `done` is called from the event
  // loop of `home`.
  std::unique_ptr<UnderWay> server(TcpSocket socket, std::shared_ptr<Identity> identity,
                                   qvid::Duration timeout, OnConnection done, std::string peer);

 private:
  using Waiting = std::list<std::shared_ptr<UnderWay::Work>>;

  void start_next();
  void give_up(const std::shared_ptr<UnderWay::Work>& work);

  boost::asio::io_context& home_;
  boost::asio::io_context there_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_;
  std::mutex mutex_;       // guards the next two
  Waiting waiting_;        // not begun; the oldest first
  bool starting_ = false;  // start_next is on the thread's queue
  std::jthread thread_;
};

}  // namespace paceline
