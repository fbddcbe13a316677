#include "app/serve/server_client.h"

#include <utility>

#include "app/log/log.h"
#include "app/options/url.h"
#include "base/clock.h"
#include "pubsub/wire/control_message.h"

namespace qvid::app {
namespace {

constexpr Duration kRequestTimeout = std::chrono::seconds(10);
constexpr int kMostRefusals = 5;  // of whatever kind; then it is closed

}  // namespace

Server::Client::Client(Server& server, std::shared_ptr<paceline::Session> session)
    : server_(server),
      session_(std::move(session)),
      request_timer_(server.io_),
      port_(session_),
      measurement_(server.measurements_, port_) {}

bool Server::Client::take_place() {
  const auto from = paceline::parse_address(session_->peer(), 0);
  if (from && from->is_loopback()) return true;
  const std::string host = from ? from->host : session_->peer();
  if (!server_.addresses_.take(host)) return false;
  counted_ = host;
  return true;
}

paceline::Session::Handler Server::Client::start(std::string full) {
  full_ = std::move(full);
  wait_for_request();
  return [self = shared_from_this()](paceline::SessionEvent&& event) {
    self->on_event(std::move(event));
  };
}

void Server::Client::wait_for_request() {
  request_timer_.after(kRequestTimeout, [this] {
    if (!viewer_) close("nothing was asked for in time");
  });
}

void Server::Client::close(const std::string& reason) {
  if (session_) session_->close(reason);
}

void Server::Client::tell(const ServerMessage& message) {
  qps::send_control(*session_, serialise(message));
}

void Server::Client::refuse(const std::string& reason) {
  ++server_.stats_.refused;
  log_info("{}: refused: {}", session_->peer(), reason);
  tell(Refused{reason});
  if (++refusals_ == kMostRefusals) close("refused too often");
}

void Server::Client::on_event(paceline::SessionEvent&& event) {
  if (std::holds_alternative<paceline::SessionEstablished>(event)) {
    if (!full_.empty()) refuse(full_);
  } else if (const auto* message = std::get_if<paceline::MessageArrived>(&event)) {
    on_message(*message);
  } else if (const auto* ended = std::get_if<paceline::MessageEnded>(&event)) {
    if (measurement_.on_ended(*ended, steady_now())) return;
    if (viewer_) viewer_->on_message_ended(*ended);
  } else if (const auto* rate = std::get_if<paceline::PathRate>(&event)) {
    if (viewer_) viewer_->on_path_rate(*rate);
  } else if (const auto* failover = std::get_if<paceline::FailedOver>(&event)) {
    if (failover->sending) {
      log_info("{}: goes on over another connection after {:.0f} ms ({})", session_->peer(),
               to_ms(failover->gap), failover->reason);
    }
  } else if (const auto* cut = std::get_if<paceline::SessionInterrupted>(&event)) {
    log_warning("{}: interrupted ({}); it may resume", session_->peer(), cut->detail);
  } else if (const auto* resumed = std::get_if<paceline::SessionResumed>(&event)) {
    log_info("{}: resumed after {:.1f} s", session_->peer(), to_seconds(resumed->outage));
  } else if (const auto* closed = std::get_if<paceline::SessionClosed>(&event)) {
    log_info("{}: gone ({})", session_->peer(), closed->detail);
    request_timer_.cancel();
    if (server_.signals_) server_.signals_->remove(*session_);
    if (viewer_) server_.stats_.viewers += viewer_->stats();
    viewer_.reset();
    if (counted_) server_.addresses_.give_back(*counted_);
    server_.remove(this);
  }
}

void Server::Client::on_message(const paceline::MessageArrived& message) {
  if (measurement_.on_arrived(message)) return;
  if (message.stream != paceline::kFirstStream) return close("data where none is expected");
  const auto request = parse_client_message(message.payload.text());
  if (!request) return close(request.error().message);
  if (!full_.empty()) return;  // it has been told no
  if (const auto* play = std::get_if<PlayRequest>(&*request)) return on_play(*play);
  if (const auto* list = std::get_if<ListRequest>(&*request)) return on_list(*list);
  if (const auto* measure = std::get_if<qps::Measure>(&*request)) return on_measure(*measure);
  if (std::holds_alternative<JoinHere>(*request) && !viewer_) {
    return refuse("this is a server of videos, which has no rooms: qvid play shows what it has");
  }
  if (!viewer_ || !viewer_->on_request(*request)) close("a request that does not belong here");
}

bool Server::Client::is_refused(const std::string& name, const std::string& token) {
  const auto refusal = server_.refusal(name, token, session_->peer());
  if (!refusal) return false;
  refuse(refusal->message);
  return true;
}

void Server::Client::on_list(const ListRequest& request) {
  if (viewer_ || listing_) return close("only one request at a time");
  if (is_refused({}, request.token)) return;
  listing_ = true;
  auto refusal = server_.list(request.after, [weak = weak_from_this()](const Files& files) {
    const auto self = weak.lock();
    if (!self) return;
    self->listing_ = false;
    self->tell(files);
    self->wait_for_request();
  });
  if (refusal) refuse(refusal->message);
}

void Server::Client::on_measure(const qps::Measure& request) {
  if (viewer_ || listing_) return close("only one request at a time");
  if (request.way == qps::Way::kUp && request.stream == paceline::kFirstStream.value()) {
    return close("filling on the stream of requests");
  }
  if (is_refused(request.name, request.token)) return;
  const qps::Measuring told = measurement_.begin(request, steady_now());
  tell(told);
  measurement_.start(steady_now());
  if (told.bytes == ByteCount()) return;
  log_info("{}: measures its rate", session_->peer());
  wait_for_request();
}

void Server::Client::on_play(const PlayRequest& request) {
  if (viewer_) return close("only one request to play at a time");
  if (is_refused(request.name, request.token)) return;
  auto viewer = server_.make_viewer(request, *session_,
                                    [this](const ServerMessage& message) { tell(message); });
  if (!viewer) return refuse(viewer.error().message);
  log_info("{}: plays '{}'", session_->peer(), escaped(request.name));
  request_timer_.cancel();
  viewer_ = *std::move(viewer);
  viewer_->start();
}

}  // namespace qvid::app
