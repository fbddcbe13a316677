#include "app/server_connection.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "app/url.h"
#include "media/adaptation_policy.h"

namespace qvid::app {
namespace {

constexpr Duration kRequestTimeout = std::chrono::seconds(10);

void add(ViewerStats& sum, const ViewerStats& more) {
  sum.frames += more.frames;
  sum.units_sent += more.units_sent;
  sum.units_cancelled += more.units_cancelled;
  sum.late_outputs += more.late_outputs;
}

}  // namespace

Server::Connection::Connection(Server& server, std::shared_ptr<paceline::Session> session)
    : server_(server), session_(std::move(session)), request_timer_(server.io_) {}

paceline::Session::Handler Server::Connection::start(bool too_many) {
  too_many_ = too_many;
  request_timer_.expires_after(kRequestTimeout);
  request_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!error && self && !self->viewer_) self->close("nothing was asked for in time");
  });
  return [self = shared_from_this()](paceline::SessionEvent&& event) {
    self->on_event(std::move(event));
  };
}

void Server::Connection::close(const std::string& reason) {
  if (session_) session_->close(reason);
}

void Server::Connection::tell(const ServerMessage& message) {
  // Control messages are few and small: they are refused only by a session that is over.
  (void)session_->send(paceline::kFirstStream,
                       {.importance = paceline::Importance(media::kControlImportance),
                        .position = {},
                        .payload = Payload::copy_of(std::string_view(serialise(message)))});
}

void Server::Connection::refuse(const std::string& reason) {
  ++server_.stats_.refused;
  spdlog::info("{}: refused: {}", session_->peer(), reason);
  tell(Refused{reason});
}

void Server::Connection::on_event(paceline::SessionEvent&& event) {
  if (std::holds_alternative<paceline::SessionEstablished>(event)) {
    if (too_many_) refuse("the server has as many viewers as it takes; try again later");
  } else if (const auto* message = std::get_if<paceline::MessageArrived>(&event)) {
    on_message(*message);
  } else if (const auto* ended = std::get_if<paceline::MessageEnded>(&event)) {
    if (viewer_) viewer_->on_message_ended(*ended);
  } else if (const auto* failover = std::get_if<paceline::FailedOver>(&event)) {
    if (failover->sending) {
      spdlog::info("{}: goes on over another connection after {:.0f} ms ({})", session_->peer(),
                   to_ms(failover->gap), failover->reason);
    }
  } else if (const auto* cut = std::get_if<paceline::SessionInterrupted>(&event)) {
    spdlog::warn("{}: interrupted ({}); it may resume", session_->peer(), cut->detail);
  } else if (const auto* resumed = std::get_if<paceline::SessionResumed>(&event)) {
    spdlog::info("{}: resumed after {:.1f} s", session_->peer(), to_seconds(resumed->outage));
    if (feed_ != nullptr) feed_->request_sync_point();
  } else if (const auto* closed = std::get_if<paceline::SessionClosed>(&event)) {
    spdlog::info("{}: gone ({})", session_->peer(), closed->detail);
    request_timer_.cancel();
    if (server_.signals_) server_.signals_->remove(*session_);
    leave_feed();
    server_.remove(this);
  }
}

void Server::Connection::leave_feed() {
  if (viewer_) add(server_.stats_.viewers, viewer_->stats());
  viewer_.reset();
  if (feed_ != nullptr) server_.release_feed(std::exchange(feed_, nullptr));
}

void Server::Connection::on_message(const paceline::MessageArrived& message) {
  if (message.stream != paceline::kFirstStream) return close("data where none is expected");
  const auto request = parse_play_request(message.payload.text());
  if (!request) return close(request.error().message);
  if (viewer_ || too_many_) return close("only one request at a time");
  const auto feed = server_.feed_for(request->name);
  if (!feed) return refuse(feed.error().message);
  feed_ = *feed;
  spdlog::info("{}: plays '{}' with a window of {} frames", session_->peer(),
               escaped(request->name), request->window);
  request_timer_.cancel();
  viewer_ = std::make_unique<Viewer>(
      server_.io_, *session_, *feed_, request->window,
      [this](const media::SourceStatus& s) { tell(Status{.ok = s.ok, .text = s.text}); },
      [this](const std::string& reason) {
        feed_ = nullptr;
        tell(Ended{reason});
      });
  tell(Playing{.codec = feed_->options().codec,
               .rate = feed_->options().source_options.rate,
               .window = request->window,
               .stream = viewer_->stream().value()});
  viewer_->start();
}

}  // namespace qvid::app
