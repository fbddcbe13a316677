#include "transport/tls/handshake_thread.h"

#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <optional>
#include <utility>
#include <variant>

namespace paceline {
namespace {

namespace asio = boost::asio;
using Secured = std::variant<std::unique_ptr<Connection>, ConnectError>;

ConnectError not_watched() { return {.message = "no socket can be watched any more"}; }

}  // namespace

struct HandshakeThread::UnderWay::Work : std::enable_shared_from_this<Work> {
  Work(asio::io_context& h, asio::io_context& t, OnConnection then)
      : home(h), there(t), done(std::move(then)) {}

  // There, as the next two.
  void start() {
    handshake = Handshake::server(
        *std::exchange(socket, std::nullopt), std::move(identity), timeout,
        [self = shared_from_this()](Secured result) { self->bring(std::move(result)); },
        std::move(peer));
  }
  // In a turn of its own: the handshake is calling us, and its socket may not move then.
  void bring(Secured result) {
    asio::post(there, [self = shared_from_this(), result = std::move(result)]() mutable {
      if (!self->handshake) return;  // given up meanwhile
      self->handshake.reset();
      auto* connection = std::get_if<std::unique_ptr<Connection>>(&result);
      if (connection != nullptr && !(*connection)->move_to(self->home)) result = not_watched();
      self->tell(std::move(result));
    });
  }
  void tell(Secured result) {
    asio::post(home, [self = shared_from_this(), result = std::move(result)]() mutable {
      if (auto then = std::exchange(self->done, nullptr)) then(std::move(result));
    });
  }

  asio::io_context& home;
  asio::io_context& there;
  OnConnection done;  // home's; empty: told, or given up
  // Until it begins.
  std::optional<TcpSocket> socket;
  std::shared_ptr<Identity> identity;
  qvid::Duration timeout{};
  std::string peer;
  std::optional<Handshake> handshake;  // there's
};

HandshakeThread::HandshakeThread(asio::io_context& home)
    : home_(home), busy_(asio::make_work_guard(there_)), thread_([this] {
        // Of this thread alone (setpriority(2), "C library/kernel differences"). Where it may not be,
        // it is as the others.
        setpriority(PRIO_PROCESS, 0, kGivesWay);
        there_.run();
      }) {}

// What was given up last holds itself until it is told so.
HandshakeThread::~HandshakeThread() {
  there_.stop();
  thread_.join();
  there_.restart();
  there_.poll();
}

std::unique_ptr<HandshakeThread::UnderWay> HandshakeThread::server(
    TcpSocket socket, std::shared_ptr<Identity> identity, qvid::Duration timeout, OnConnection done,
    std::string peer) {
  auto under_way = std::make_unique<UnderWay>(*this);
  under_way->work_ = std::make_shared<UnderWay::Work>(home_, there_, std::move(done));
  UnderWay::Work& work = *under_way->work_;
  if (!move_socket(socket, there_)) {
    work.tell(not_watched());
    return under_way;
  }
  work.socket = std::move(socket);
  work.identity = std::move(identity);
  work.timeout = timeout;
  work.peer = std::move(peer);
  const std::scoped_lock lock(mutex_);
  waiting_.push_back(under_way->work_);
  if (!std::exchange(starting_, true)) asio::post(there_, [this] { start_next(); });
  return under_way;
}

// One a turn: those that have begun go on meanwhile.
void HandshakeThread::start_next() {
  std::shared_ptr<UnderWay::Work> next;
  {
    const std::scoped_lock lock(mutex_);
    if (!waiting_.empty()) {
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    starting_ = !waiting_.empty();
    if (starting_) asio::post(there_, [this] { start_next(); });
  }
  if (next) next->start();
}

void HandshakeThread::give_up(const std::shared_ptr<UnderWay::Work>& work) {
  work->done = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    if (std::erase(waiting_, work) > 0) return;  // its socket closes with it
  }
  asio::post(there_, [work] { work->handshake.reset(); });
}

HandshakeThread::UnderWay::~UnderWay() { thread_.give_up(work_); }

}  // namespace paceline
