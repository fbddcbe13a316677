#include "lab/glass/meeting_server.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <utility>

namespace qvid::lab {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
constexpr std::string_view kHeadEnd = "\r\n\r\n";

}  // namespace

// One request and its answer; it lives as long as one of its handlers.
class MeetingServer::Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(MeetingServer& server, tcp::socket socket)
      : server_(server), socket_(std::move(socket)) {
    ++server_.open_;
  }
  ~Exchange() { --server_.open_; }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void read_head() {
    boost::asio::async_read_until(
        socket_, boost::asio::dynamic_buffer(read_, MeetingPoint::kMostHead), kHeadEnd,
        [self = shared_from_this()](const error_code& error, std::size_t size) {
          if (!error) self->read_body(size);
        });
  }

 private:
  void read_body(std::size_t head_size) {
    auto head = parse_http_head(std::string_view(read_).substr(0, head_size));
    if (!head) return reply(MeetingPoint::refusal());
    head_ = *std::move(head);
    read_.erase(0, head_size);
    const std::size_t more = head_.body > read_.size() ? head_.body - read_.size() : 0;
    boost::asio::async_read(socket_, boost::asio::dynamic_buffer(read_),
                            boost::asio::transfer_exactly(more),
                            [self = shared_from_this()](const error_code& error, std::size_t) {
                              if (!error) self->answer();
                            });
  }
  void answer() {
    read_.resize(head_.body);
    const std::lock_guard lock(server_.mutex_);
    reply(server_.point_.answer(head_, std::move(read_)));
  }
  void reply(std::string text) {
    reply_ = std::move(text);
    boost::asio::async_write(socket_, boost::asio::buffer(reply_),
                             [self = shared_from_this()](const error_code&, std::size_t) {});
  }

  MeetingServer& server_;
  tcp::socket socket_;
  std::string read_;
  HttpHead head_;
  std::string reply_;
};

MeetingServer::MeetingServer(std::span<const NetNamespace* const> where) {
  const tcp::endpoint address(boost::asio::ip::address_v4::loopback(), kPort);
  for (const NetNamespace* ns : where) {
    ns->run([&] { acceptors_.emplace_back(io_, address); });
  }
  for (tcp::acceptor& acceptor : acceptors_) accept(acceptor);
  thread_ = std::thread([this] { io_.run(); });
}

MeetingServer::~MeetingServer() {
  io_.stop();
  thread_.join();
}

void MeetingServer::accept(tcp::acceptor& acceptor) {
  acceptor.async_accept([this, &acceptor](const error_code& error, tcp::socket socket) {
    if (!error && open_ < kMostExchanges) {
      std::make_shared<Exchange>(*this, std::move(socket))->read_head();
    }
    if (error != boost::asio::error::operation_aborted) accept(acceptor);
  });
}

std::string MeetingServer::kept(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return point_.kept(name);
}

}  // namespace qvid::lab
