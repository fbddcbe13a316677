#include "lab/load/load_members.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace qvid::lab {
namespace {

// More items than these at once are no longer made up for.
constexpr int kMostBehind = 8;

qps::Join join_of(const LoadOptions& options, const std::string& room, const std::string& name) {
  return {.room = room, .name = name, .token = options.token};
}

Payload filling_for(const LoadOptions& options) {
  const auto size =
      static_cast<std::size_t>(options.rate.bytes_in(options.items.frame_time()).value() + 2);
  PayloadBuilder builder(size);
  std::ranges::fill(builder.bytes(), std::byte{0x5a});
  return std::move(builder).take();
}

}  // namespace

LoadPublisher::LoadPublisher(boost::asio::io_context& io, const LoadOptions& options,
                             const std::string& room, std::string name, Duration phase,
                             LoadEvents events, std::function<void(Timestamp)> on_item)
    : options_(options),
      name_(std::move(name)),
      phase_(phase),
      on_item_(std::move(on_item)),
      pattern_(options.rate, options.items),
      filling_(filling_for(options)),
      timer_(io),
      client_(io, options.remote, options.session, join_of(options, room, name_),
              {.joined =
                   [this, joined = std::move(events.joined)] {
                     client_.publish("load");
                     joined();
                   },
               .wanted = [this](const std::string&, bool on) { want(on); },
               .begin = [this](const std::string&) { pattern_.request_begin(); },
               .part_ended = [this](const std::string&, const qps::PartId&, bool delivered,
                                    ByteCount) { given_up_ += delivered ? 0 : 1; },
               .ended =
                   [this, ended = std::move(events.ended)](const std::string& reason, bool final) {
                     want(false);
                     ended(reason, final);
                   }}) {}

void LoadPublisher::want(bool wanted) {
  if (std::exchange(wanted_, wanted) == wanted) return;
  if (!wanted) return timer_.cancel();
  pattern_.request_begin();
  next_ = steady_now() + phase_;
  timer_.at(next_, [this] { tick(); });
}

void LoadPublisher::tick() {
  const Timestamp now = steady_now();
  const LoadPattern::Item item = pattern_.next(now);
  for (std::size_t layer = 0; layer < LoadPattern::kLayers; ++layer) {
    const LoadPattern::Part& part = item.parts[layer];
    if (!client_.send({.item = item.number, .part = static_cast<std::uint8_t>(layer)},
                      part.envelope, filling_.slice(0, part.size),
                      now + options_.window + part.envelope.useful_for)) {
      ++given_up_;
    }
  }
  on_item_(now);
  const Duration period = options_.items.frame_time();
  next_ = std::max(next_ + period, now - kMostBehind * period);
  timer_.at(next_, [this] { tick(); });
}

LoadSubscriber::LoadSubscriber(boost::asio::io_context& io, const LoadOptions& options,
                               const std::string& room, const std::string& name,
                               std::vector<std::string> watches, LoadEvents events,
                               std::function<void(std::size_t, Timestamp, ByteCount)> on_part)
    : client_(io, options.remote, options.session, join_of(options, room, name),
              {.joined =
                   [this, watches = std::move(watches), window = options.window,
                    joined = std::move(events.joined)] {
                     client_.watch({.viewer = 1,
                                    .names = watches,
                                    .best = "",
                                    .seats = static_cast<int>(watches.size()),
                                    .window = window});
                     joined();
                   },
               .part =
                   [on_part = std::move(on_part)](std::uint32_t, int, qps::Part&& part) {
                     on_part(part.id.part, part.envelope.due, part.data.byte_count());
                   },
               .ended = std::move(events.ended)}) {}

}  // namespace qvid::lab
