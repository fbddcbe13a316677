#include "app/command/rate_check.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "pubsub/wire/control_message.h"

namespace qvid::app {
namespace {

constexpr Duration kSample = std::chrono::milliseconds(50);

}  // namespace

RateCheck::RateCheck(boost::asio::io_context& io, std::shared_ptr<paceline::Session> session,
                     std::string name, std::string token, Done done)
    : session_(std::move(session)),
      port_(session_),
      name_(std::move(name)),
      token_(std::move(token)),
      done_(std::move(done)),
      sample_(io) {}

void RateCheck::start() { ask(qps::Way::kUp); }

void RateCheck::ask(qps::Way way) {
  way_ = way;
  ends_ = kNever;
  filling_.reset();
  arrived_ = {};
  all_through_.reset();
  at_half_.reset();
  longest_ = {};
  stream_ = way == qps::Way::kUp ? session_->open_stream() : paceline::StreamId();
  qps::send_control(*session_,
                    qps::serialise(qps::ToBroker(qps::Measure{
                        .way = way, .stream = stream_.value(), .name = name_, .token = token_})));
}

void RateCheck::on_event(const paceline::SessionEvent& event) {
  if (!done_) return;
  if (const auto* message = std::get_if<paceline::MessageArrived>(&event)) {
    if (message->stream == paceline::kFirstStream) return on_control(message->payload);
    if (way_ == qps::Way::kDown && message->stream == stream_) {
      arrived_ += message->payload.byte_count();
    }
  } else if (const auto* ended = std::get_if<paceline::MessageEnded>(&event)) {
    if (filling_) filling_->on_ended(*ended, steady_now());
  } else if (const auto* closed = std::get_if<paceline::SessionClosed>(&event)) {
    end(report_.admission == RateReport::Admission::kNotSaid
            ? "an older server, which does not measure: " + closed->detail
            : closed->detail);
  }
}

void RateCheck::on_control(const Payload& text) {
  // Of a server that is no broker too: what it says to this is the same.
  const auto message = qps::parse_from_broker(text.text());
  if (!message) return;
  if (const auto* told = std::get_if<qps::Measuring>(&*message)) return on_measuring(*told);
  std::string reason;
  if (const auto* refused = std::get_if<qps::JoinRefused>(&*message)) {
    report_.admission = RateReport::Admission::kRefused;
    reason = refused->reason;
  } else if (const auto* removed = std::get_if<qps::Removed>(&*message)) {
    reason = removed->reason;
  } else if (const auto* moving = std::get_if<qps::Moving>(&*message)) {
    reason = moving->reason;
  }
  if (!reason.empty()) end(reason);
}

void RateCheck::on_measuring(const qps::Measuring& told) {
  if (ends_ != kNever) return;
  report_.admission = RateReport::Admission::kLetIn;
  if (told.bytes == ByteCount()) {
    return end("the server has enough to measure with others; try again in a minute");
  }
  const Timestamp now = steady_now();
  most_ = told.bytes;
  began_ = now;
  ends_ = now + told.time;
  half_ = now + told.time / 2;
  if (way_ == qps::Way::kDown) {
    stream_ = paceline::StreamId(told.stream);
  } else {
    filling_.emplace(port_, stream_, told.bytes, ends_);
    filling_->fill(now);
  }
  sample();
}

void RateCheck::sample() {
  const Timestamp now = steady_now();
  if (now >= ends_) return end_way();
  if (!all_through_ && through() + qps::Filling::kMessage > most_) all_through_ = now;
  if (now >= half_) {
    if (!at_half_) {
      half_ = now;
      at_half_ = through();
    }
    longest_ = std::max(longest_, session_->signals().rtt);
  }
  sample_.at(std::min(ends_, now + kSample), [this] { sample(); });
}

void RateCheck::end_way() {
  const MeasuredWay measured{
      .rate = all_through_
                  ? DataRate::of(through(), *all_through_ - began_)
                  : DataRate::of(through() - at_half_.value_or(through()), steady_now() - half_),
      .round_trip = longest_};
  if (way_ == qps::Way::kDown) {
    report_.down = measured;
    return end("");
  }
  report_.up = measured;
  ask(qps::Way::kDown);
}

void RateCheck::end(const std::string& why) {
  sample_.cancel();
  report_.reason = why;
  // It may destroy this.
  if (const auto done = std::exchange(done_, {})) done(report_);
}

}  // namespace qvid::app
