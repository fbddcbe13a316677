#include "lab/load/herd.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/backoff.h"
#include "base/clock.h"
#include "pubsub/client/room_client.h"
#include "transport/socket/timer.h"

namespace qvid::lab {

class Herd::Member {
 public:
  Member(Herd& herd, std::size_t number)
      : herd_(herd), number_(number), trust_(herd.new_trust()), timer_(herd.io_) {
    connect();
  }

 private:
  void connect() {
    {
      const std::lock_guard lock(herd_.mutex_);
      ++herd_.state_.attempts;
    }
    client_ = std::make_unique<qps::RoomClient>(
        herd_.io_, paceline::Session::Remote{.address = herd_.options_.broker, .trust = trust_},
        paceline::SessionConfig{},
        qps::Join{.room = fmt::format("herd-{}", number_ / herd_.options_.of_room + 1),
                  .name = fmt::format("herd-{}-{}", ::getpid(), number_ + 1),
                  .token = herd_.options_.token},
        qps::RoomClient::Callbacks{
            .joined =
                [this] {
                  backoff_.reset();
                  herd_.on_joined(number_);
                },
            .ended = [this](const std::string& reason, bool final) { on_ended(reason, final); }});
  }

  void on_ended(const std::string& reason, bool final) {
    herd_.on_left(number_);
    // Called by the client itself, which shall not go from under its feet.
    boost::asio::post(herd_.io_, [old = std::shared_ptr<qps::RoomClient>(std::move(client_))] {});
    if (final) return herd_.on_refused(reason);
    timer_.after(backoff_.next(), [this] { connect(); });
  }

  Herd& herd_;
  const std::size_t number_;
  const std::shared_ptr<paceline::Trust> trust_;
  Backoff backoff_;
  paceline::Timer timer_;
  std::unique_ptr<qps::RoomClient> client_;
};

Result<std::unique_ptr<Herd>> Herd::open(HerdOptions options) {
  if (auto trust = paceline::Trust::make(options.trust); !trust) return trust.error();
  return std::unique_ptr<Herd>(new Herd(std::move(options)));
}

Herd::Herd(HerdOptions options) : options_(std::move(options)), since_(options_.clients, kNever) {
  members_.reserve(options_.clients);
  boost::asio::post(io_, [this] { join_more(); });
  thread_ = std::jthread([this] { io_.run(); });
}

Herd::~Herd() {
  io_.stop();
  thread_.join();
  members_.clear();
}

std::shared_ptr<paceline::Trust> Herd::new_trust() const {
  auto trust = paceline::Trust::make(options_.trust);
  return trust ? *std::move(trust) : nullptr;  // it could be had before
}

void Herd::join_more() {
  while (members_.size() < options_.clients && joining_ < kMostJoining) {
    ++joining_;
    members_.push_back(std::make_unique<Member>(*this, members_.size()));
  }
}

void Herd::on_joined(std::size_t number) {
  {
    const std::lock_guard lock(mutex_);
    ++state_.members;
    since_[number] = steady_now();
  }
  changed_.notify_all();
  if (joining_ > 0) --joining_;
  join_more();
}

void Herd::on_left(std::size_t number) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(since_[number], kNever) != kNever) --state_.members;
}

void Herd::on_refused(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (state_.refused++ == 0) state_.first_refusal = reason;
  }
  changed_.notify_all();
  if (joining_ > 0) --joining_;
  join_more();
}

bool Herd::all_since(Timestamp from) const {
  const auto there = std::ranges::count_if(
      since_, [from](Timestamp since) { return since != kNever && since > from; });
  return static_cast<std::size_t>(there) + state_.refused >= options_.clients;
}

Herd::State Herd::await_all(Timestamp from, Duration at_most, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, at_most, [&] { return all_since(from); });
  State state = state_;
  for (const Timestamp since : since_) {
    if (since != kNever) state.since.push_back(since);
  }
  std::ranges::sort(state.since);
  return state;
}

}  // namespace qvid::lab
