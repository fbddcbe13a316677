#include "app/room/room_source.h"

#include <algorithm>
#include <utility>

#include "app/log/log.h"
#include "ui/text/translated.h"

namespace qvid::app {

void RoomSource::joined(qps::RoomClient& client) {
  client_ = &client;
  former_ = std::move(publisher_);
  start();
}

void RoomSource::left() {
  publisher_.reset();
  former_.reset();
  client_ = nullptr;
}

void RoomSource::freeze(bool on) {
  frozen_ = on && source_;
  if (feed_ != nullptr) feed_->freeze(frozen_);
}

void RoomSource::set(std::optional<media::LiveInOptions> source) {
  frozen_ = false;
  set_fault("");
  source_ = std::move(source);
  publisher_.reset();
  former_.reset();
  if (feed_ != nullptr) std::exchange(feed_, nullptr)->request_stop();
  start();
}

void RoomSource::stop() {
  left();
  feed_ = nullptr;
  for (const auto& feed : feeds_) feed->request_stop();
}

// Of those that are published no more.
bool RoomSource::waits() const {
  const auto is_camera = [](const media::LiveInOptions& options) {
    return options.source.kind == media::SourceSpec::Kind::kCamera;
  };
  return feed_ == nullptr && is_camera(*source_) &&
         std::ranges::any_of(feeds_, [&](const auto& feed) { return is_camera(feed->options()); });
}

void RoomSource::start() {
  publisher_.reset();
  if (!source_ || client_ == nullptr || waits()) return;
  if (feed_ == nullptr) {
    media::LiveInOptions options = *source_;
    options.prefer = prefer_;
    feeds_.push_back(std::make_unique<Feed>(
        io_, std::move(options),
        [this](Feed* feed, const media::SourceStatus& status) { on_status(feed, status); },
        [this](Feed* over) { on_feed_over(over); }, callbacks_.own_picture));
    feed_ = feeds_.back().get();
    feed_->freeze(frozen_);
  }
  publisher_ = std::make_unique<RoomPublisher>(
      io_, *client_, track_, apart_, *feed_, window_, prefer_, [](Feed*) {}, callbacks_.others,
      [this](const std::string& reason) {
        callbacks_.notice(ui::filled(ui::tr("the source ended: {}"), reason));
      });
}

void RoomSource::on_status(Feed* feed, const media::SourceStatus& status) {
  log_at(status.ok ? LogLevel::kInfo : LogLevel::kWarning, "{}: {}", feed->options().source.text(),
         status.text);
  if (feed != feed_) return;
  callbacks_.status(feed->options().source, status);
  set_fault(status.ok ? "" : status.text);
}

void RoomSource::set_fault(const std::string& why) {
  if (std::exchange(fault_, why) == why) return;
  callbacks_.fault(why);
}

void RoomSource::on_feed_over(Feed* over) {
  const bool by_itself = feed_ == over;
  if (by_itself) feed_ = nullptr;
  if (by_itself) set_fault("");
  std::erase_if(feeds_, [&](const auto& feed) { return feed.get() == over; });
  if (!by_itself) {
    if (feed_ == nullptr) start();
    return;
  }
  publisher_.reset();
  former_.reset();
  source_.reset();
  frozen_ = false;
  callbacks_.ended();
}

}  // namespace qvid::app
