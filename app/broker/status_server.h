// A few pages over HTTP for those who operate a program: its metrics, its health, and what is to be
// done (POST). No TLS, and who may what is the pages' affair: for addresses that only operators reach.
//
//   socket --> request (8 KiB, and 8 KiB of body) --> pages(request) --> response --> closed
//
// Bounds: kMaxExchanges, each for at most `timeout` and one request; beyond, a socket is closed
// unheard. What is no request is closed without an answer.
//
// Ownership: it closes its sockets when it goes. Thread: the io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "transport/socket/listener.h"

namespace qvid::app {

class StatusServer {
 public:
  static constexpr std::size_t kMaxExchanges = 16;
  static constexpr std::size_t kMaxRequest = 8 * 1024;  // bytes, and so many of a body
  static constexpr Duration kTimeout = std::chrono::seconds(5);

  struct Page {
    unsigned status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string body;
  };
  struct Request {
    std::string path;         // "/health", without what follows a '?'
    bool posts = false;       // else it gets
    std::string token{};      // "Authorization: Bearer TOKEN"
    bool of_browser = false;  // it tells of which page, or from where ("Origin", "Sec-Fetch-Site")
    std::string body{};
    paceline::Address from{};
  };
  // Empty: there is no such page.
  using Pages = std::function<std::optional<Page>(const Request&)>;

  // Listens at once; the error says what to do. `on_trouble`: it goes on.
  static Result<std::unique_ptr<StatusServer>> open(boost::asio::io_context& io,
                                                    const paceline::Address& listen, Pages pages,
                                                    paceline::Listener::OnTrouble on_trouble,
                                                    Duration timeout = kTimeout);
  ~StatusServer();
  StatusServer(const StatusServer&) = delete;
  StatusServer& operator=(const StatusServer&) = delete;

  paceline::Address address() const { return listener_->address(); }  // with the real port

 private:
  class Exchange;

  StatusServer(Pages pages, Duration timeout) : pages_(std::move(pages)), timeout_(timeout) {}
  void on_socket(paceline::TcpSocket socket);

  Pages pages_;
  Duration timeout_;
  std::list<std::shared_ptr<Exchange>> exchanges_;
  std::unique_ptr<paceline::Listener> listener_;
};

}  // namespace qvid::app
