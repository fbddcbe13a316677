// The rates of the way to a server, and what becomes of the round trip meanwhile: up and then down, by
// what qps::Measure asks for, over a session that is there. Whether the server lets this client in is
// the answer to the first request.
//
// A rate is of the second half of its time: by then the controller knows the path. Where a way takes
// all that may be sent sooner, it is the mean until then. Thread: the
// io_context's; callbacks come from the event loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pubsub/broker/filling.h"
#include "pubsub/server/weak_port.h"
#include "pubsub/wire/control.h"
#include "transport/session/session.h"
#include "transport/socket/timer.h"

namespace qvid::app {

struct MeasuredWay {
  DataRate rate;
  Duration round_trip{};  // the longest under load, as the session smooths it
};
struct RateReport {
  enum class Admission { kLetIn, kRefused, kNotSaid };

  Admission admission = Admission::kNotSaid;
  std::string reason = {};  // why refused, or not measured
  std::optional<MeasuredWay> up = {};
  std::optional<MeasuredWay> down = {};
};

class RateCheck {
 public:
  // `done` is called once, with what is known by then; the session is left as it is.
  using Done = std::function<void(const RateReport&)>;

  // `name`: the room or video that `token` is for.
  RateCheck(boost::asio::io_context& io, std::shared_ptr<paceline::Session> session,
            std::string name, std::string token, Done done);

  void start();
  // What the session says from start on.
  void on_event(const paceline::SessionEvent& event);
  // No time is left.
  void stop() { end("no time is left for it"); }

 private:
  void ask(qps::Way way);
  void on_control(const Payload& text);
  void on_measuring(const qps::Measuring& told);
  ByteCount through() const { return filling_ ? filling_->delivered() : arrived_; }
  void sample();
  void end_way();
  void end(const std::string& why);

  std::shared_ptr<paceline::Session> session_;
  qps::WeakPort port_;
  std::string name_;
  std::string token_;
  Done done_;
  RateReport report_;
  qps::Way way_ = qps::Way::kUp;
  paceline::StreamId stream_{};
  std::optional<qps::Filling> filling_;
  paceline::Timer sample_;
  ByteCount most_{};
  Timestamp began_{};
  Timestamp half_{};  // from when on it counts
  Timestamp ends_ = kNever;
  std::optional<Timestamp> all_through_{};
  ByteCount arrived_{};
  std::optional<ByteCount> at_half_{};
  Duration longest_{};
};

}  // namespace qvid::app
