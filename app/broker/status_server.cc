#include "app/broker/status_server.h"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <utility>

namespace qvid::app {

namespace beast = boost::beast;
namespace http = boost::beast::http;

// One socket, one request. Its handlers hold it; the server that is gone has closed it.
class StatusServer::Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(StatusServer& server, paceline::TcpSocket socket)
      : server_(&server), stream_(std::move(socket)), buffer_(kMaxRequest) {
    parser_.header_limit(kMaxRequest);
  }

  void read() {
    stream_.expires_after(server_->timeout_);
    http::async_read_header(stream_, buffer_, parser_,
                            [self = shared_from_this()](const beast::error_code& error,
                                                        std::size_t) { self->on_read(error); });
  }
  // The server goes, or has no more use for it.
  void close() {
    server_ = nullptr;
    stream_.close();
  }

 private:
  void on_read(const beast::error_code& error) {
    if (server_ == nullptr) return;
    if (error) return leave();
    answer(parser_.get().method(), std::string(parser_.get().target()));
    http::async_write(stream_, response_,
                      [self = shared_from_this()](const beast::error_code&, std::size_t) {
                        if (self->server_ != nullptr) self->leave();
                      });
  }

  void answer(http::verb method, const std::string& target) {
    std::optional<Page> page;
    if (method != http::verb::get && method != http::verb::head) {
      page = Page{.status = 405, .body = "only GET and HEAD\n"};
    } else {
      page = server_->pages_(std::string_view(target).substr(0, target.find('?')));
    }
    if (!page) page = Page{.status = 404, .body = "there is no such page\n"};
    response_.version(parser_.get().version());
    response_.result(page->status);
    response_.set(http::field::content_type, page->type);
    response_.set(http::field::cache_control, "no-store");
    response_.keep_alive(false);
    response_.content_length(page->body.size());
    if (method != http::verb::head) response_.body() = std::move(page->body);
  }

  void leave() {
    beast::error_code ignored;
    stream_.socket().shutdown(paceline::TcpSocket::shutdown_send, ignored);
    StatusServer* server = server_;
    close();
    // The handler that called this holds it.
    std::erase_if(server->exchanges_, [&](const auto& c) { return c.get() == this; });
  }

  StatusServer* server_;  // empty: closed
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> response_;
};

Result<std::unique_ptr<StatusServer>> StatusServer::open(boost::asio::io_context& io,
                                                         const paceline::Address& listen,
                                                         Pages pages,
                                                         paceline::Listener::OnTrouble on_trouble,
                                                         Duration timeout) {
  std::unique_ptr<StatusServer> server(new StatusServer(std::move(pages), timeout));
  auto listener = paceline::Listener::open(
      io, listen,
      [raw = server.get()](paceline::TcpSocket socket) { raw->on_socket(std::move(socket)); },
      std::move(on_trouble));
  if (!listener) return listener.error();
  server->listener_ = *std::move(listener);
  return server;
}

StatusServer::~StatusServer() {
  for (const auto& exchange : exchanges_) exchange->close();
}

void StatusServer::on_socket(paceline::TcpSocket socket) {
  if (exchanges_.size() >= kMaxExchanges) return;  // closed unheard
  exchanges_.push_back(std::make_shared<Exchange>(*this, std::move(socket)));
  exchanges_.back()->read();
}

}  // namespace qvid::app
