#include "app/broker/event_hook.h"

#include <fmt/chrono.h>

#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <ctime>
#include <utility>

#include "pubsub/wire/json_fields.h"

namespace qvid::app {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::asio::ip::tcp;

namespace {

constexpr std::string_view kScheme = "http://";
constexpr std::uint16_t kPort = 80;
constexpr std::size_t kMostAnswer = 8 * 1024;  // its header; nobody reads more

std::string utc_text(qps::WallTime at) {
  return fmt::format("{:%FT%TZ}",
                     fmt::gmtime(static_cast<std::time_t>(at.time_since_epoch().count())));
}

}  // namespace

// One event, one connection. Its handlers hold it; the hook that is gone has closed it.
class EventHook::Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(EventHook& hook, const Target& to, std::string body)
      : hook_(&hook),
        resolver_(hook.io_),
        timer_(hook.io_),
        stream_(hook.io_),
        buffer_(kMostAnswer) {
    request_.method(http::verb::post);
    request_.target(to.path);
    request_.version(11);
    request_.set(http::field::host, to.address.text());
    request_.set(http::field::content_type, "application/json");
    request_.keep_alive(false);
    request_.body() = std::move(body);
    request_.prepare_payload();
    answer_.header_limit(kMostAnswer);
    answer_.skip(true);  // whatever its body is
  }

  void start(const paceline::Address& to) {
    beast::error_code no_number;
    const auto ip = boost::asio::ip::make_address(to.host, no_number);
    if (!no_number) return connect(std::array{tcp::endpoint(ip, to.port)});
    timer_.after(kTimeout, [this] { end("nobody tells in time where that is"); });
    resolver_.async_resolve(
        to.host, std::to_string(to.port),
        [self = shared_from_this()](const beast::error_code& error, const auto& found) {
          if (!self->goes_on(error)) return;
          self->timer_.cancel();
          self->connect(found);
        });
  }
  void close() {
    hook_ = nullptr;
    timer_.cancel();
    resolver_.cancel();
    stream_.close();
  }

 private:
  template <class Endpoints>
  void connect(const Endpoints& found) {
    stream_.expires_after(kTimeout);
    stream_.async_connect(found,
                          [self = shared_from_this()](const beast::error_code& error, const auto&) {
                            if (self->goes_on(error)) self->write();
                          });
  }
  void write() {
    http::async_write(stream_, request_,
                      [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                        if (self->goes_on(error)) self->read();
                      });
  }
  void read() {
    http::async_read_header(
        stream_, buffer_, answer_,
        [self = shared_from_this()](const beast::error_code& error, std::size_t) {
          if (self->goes_on(error)) self->judge();
        });
  }
  void judge() {
    const unsigned status = answer_.get().result_int();
    end(status / 100 == 2 ? "" : "it answers " + std::to_string(status));
  }

  bool goes_on(const beast::error_code& error) {
    if (hook_ == nullptr) return false;
    if (error) end(error.message());
    return !error;
  }
  void end(const std::string& trouble) {
    EventHook* const hook = hook_;
    close();
    hook->on_done(trouble);
  }

  EventHook* hook_;  // null: closed
  tcp::resolver resolver_;
  paceline::Timer timer_;  // of the look-up
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response_parser<http::empty_body> answer_;
};

Result<EventHook::Target> EventHook::parse(std::string_view url) {
  const Error wrong{
      "write http://HOST:PORT/PATH, of a program that only you reach; for HTTPS put a "
      "proxy of yours between"};
  if (!url.starts_with(kScheme)) return wrong;
  url.remove_prefix(kScheme.size());
  const auto slash = url.find('/');
  const auto address = paceline::parse_address(url.substr(0, slash), kPort);
  if (!address || address->host.find_first_of("?#@") != std::string::npos) return wrong;
  std::string path(slash == std::string_view::npos ? "/" : url.substr(slash));
  for (const char c : path) {
    if (c <= ' ' || c > '~' || c == '#') return wrong;
  }
  return Target{.address = *address, .path = std::move(path)};
}

EventHook::EventHook(boost::asio::io_context& io, Target to, Teller teller,
                     std::function<void(const std::string&)> warn)
    : io_(io), to_(std::move(to)), teller_(std::move(teller)), warn_(std::move(warn)), retry_(io) {}

EventHook::~EventHook() {
  if (exchange_) exchange_->close();
}

void EventHook::tell(const qps::BrokerEvent& event, qps::WallTime at) {
  nlohmann::json json{{"event", event.joined ? "joined" : "left"},
                      {"node", teller_.node},
                      {"since", utc_text(teller_.since)},
                      {"number", ++number_},
                      {"time", utc_text(at)},
                      {"room", event.room},
                      {"member", event.member},
                      {"address", event.address}};
  if (event.joined) {
    json["records"] = event.records;
  } else {
    json["reason"] = event.reason;
  }
  if (waiting_.size() == kMost) {
    waiting_.pop_front();
    ++missing_;
  }
  waiting_.push_back(std::move(json));
  if (current_.is_null()) send_next();
}

void EventHook::send_next() {
  if (current_.is_null()) {
    if (waiting_.empty()) return;
    current_ = std::move(waiting_.front());
    waiting_.pop_front();
    current_["missing"] = std::exchange(missing_, 0);
  }
  exchange_ = std::make_shared<Exchange>(*this, to_, qps::dump(current_));
  exchange_->start(to_.address);
}

void EventHook::on_done(const std::string& trouble) {
  exchange_.reset();
  if (!trouble.empty()) {
    if (std::exchange(works_, false)) {
      warn_(to_.address.text() + ": " + trouble + "; events wait until it takes them, " +
            std::to_string(kMost) + " at the most");
    }
    return retry_.after(backoff_.next(), [this] { send_next(); });
  }
  works_ = true;
  backoff_.reset();
  current_ = nullptr;
  send_next();
}

}  // namespace qvid::app
