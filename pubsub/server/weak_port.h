// The port of a session of this thread, which it does not keep: a session may go before whoever
// sends over it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "pubsub/broker/port.h"
#include "transport/session/session.h"

namespace qps {

class WeakPort : public Port {
 public:
  explicit WeakPort(const std::shared_ptr<paceline::Session>& session) : session_(session) {}

  qvid::Result<paceline::MessageId> send(paceline::StreamId stream,
                                         paceline::Message message) override {
    const auto session = session_.lock();
    if (!session) return qvid::Error{"the session is over"};
    return session->send(stream, std::move(message));
  }
  void cancel(paceline::MessageId message) override {
    if (const auto session = session_.lock()) session->cancel(message);
  }
  paceline::StreamId open_stream() override {
    const auto session = session_.lock();
    return session ? session->open_stream() : paceline::StreamId();
  }
  void close_stream(paceline::StreamId stream) override {
    if (const auto session = session_.lock()) session->close_stream(stream);
  }
  qvid::Duration round_trip() const override {
    const auto session = session_.lock();
    return session ? session->signals().empty_rtt() : qvid::Duration();
  }
  void let_in() override {
    if (const auto session = session_.lock()) session->let_in();
  }
  qvid::ByteCount waiting() const override {
    const auto session = session_.lock();
    return session ? session->queued() : qvid::ByteCount();
  }
  void hold(qvid::Duration time) override {
    if (const auto session = session_.lock()) session->hold_reading(time);
  }
  void close(const std::string& reason) override {
    if (const auto session = session_.lock()) session->close(reason);
  }

 private:
  std::weak_ptr<paceline::Session> session_;
};

}  // namespace qps
