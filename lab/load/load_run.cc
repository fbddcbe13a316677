#include "lab/load/load_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace qvid::lab {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);
// For what is under way at the end, beside the window.
constexpr Duration kArriveTime = std::chrono::seconds(1);
constexpr Duration kJoinLimit = std::chrono::seconds(60);  // for all together
// About what a busy broker leaves to each for his greeting.
constexpr Duration kComeAgain = std::chrono::milliseconds(300);

// Several load tests may share a room.
std::string name_of(const char* kind, std::size_t number) {
  return fmt::format("load-{}-{}{}", ::getpid(), kind, number);
}

double share(Duration cpu, Duration time) {
  return time > Duration::zero() ? to_seconds(cpu) / to_seconds(time) : 0;
}

}  // namespace

LoadRun::LoadRun(boost::asio::io_context& io, LoadRunOptions options)
    : io_(io),
      options_(std::move(options)),
      phase_timer_(io),
      progress_timer_(io),
      again_timer_(io),
      memory_timer_(io) {
  publishers_.resize(options_.plan.publishers.size());
  subscribers_.resize(options_.plan.subscribers.size());
}

LoadRun::~LoadRun() = default;

std::optional<ProcessUsage> LoadRun::broker_usage() const {
  if (!options_.broker_pid) return std::nullopt;
  const auto usage = usage_of(*options_.broker_pid);
  return usage ? std::optional(*usage) : std::nullopt;
}

LoadRun::Mark LoadRun::mark() const {
  const auto own = usage_of(::getpid());
  return {.at = steady_now(), .own = own ? own->cpu : Duration(), .broker = broker_usage()};
}

void LoadRun::start() {
  before_ = mark();
  began_ = all_joined_ = second_began_ = before_.at;
  phase_timer_.after(kJoinLimit, [this] { warm_up(); });
  progress_timer_.after(kSecond, [this] { tell_progress(); });
  join_more();
}

// Publishers first, so that nobody waits for them.
void LoadRun::join_more() {
  const std::size_t all = publishers_.size() + subscribers_.size();
  while (phase_ == Phase::kJoining && begun_ < all && begun_ - settled_ < kMostJoining) {
    join(begun_++);
  }
  if (phase_ == Phase::kJoining && settled_ == all) warm_up();
}

std::string LoadRun::room_of(std::size_t room) const {
  return options_.plan.rooms == 1 ? options_.room : fmt::format("{}-{}", options_.room, room + 1);
}

void LoadRun::join(std::size_t index) {
  const auto joined = std::make_shared<bool>(false);
  LoadEvents events{
      .joined =
          [this, joined] {
            *joined = true;
            on_joined();
          },
      .ended = [this, index, joined](const std::string& reason,
                                     bool refused) { on_ended(index, *joined, reason, refused); }};
  if (index < publishers_.size()) {
    const LoadPlan::Publisher& plan = options_.plan.publishers[index];
    const Duration phase = options_.each.items.frame_time() * static_cast<std::int64_t>(index) /
                           static_cast<std::int64_t>(publishers_.size());
    publishers_[index] = std::make_unique<LoadPublisher>(
        io_, options_.each, room_of(plan.room), name_of("p", index), phase, std::move(events),
        [this, viewers = plan.viewers](Timestamp sent) { statistics_.on_item(sent, viewers); });
    return;
  }
  const std::size_t number = index - publishers_.size();
  const LoadPlan::Subscriber& plan = options_.plan.subscribers[number];
  std::vector<std::string> watches;
  for (const std::size_t publisher : plan.watches) watches.push_back(name_of("p", publisher));
  subscribers_[number] = std::make_unique<LoadSubscriber>(
      io_, options_.each, room_of(plan.room), name_of("s", number), std::move(watches),
      std::move(events), [this, number](std::size_t layer, Timestamp sent, ByteCount size) {
        on_part(number, layer, sent, size);
      });
}

void LoadRun::on_joined() {
  ++joined_;
  ++settled_;
  all_joined_ = steady_now();
  join_more();
}

void LoadRun::on_ended(std::size_t index, bool had_joined, const std::string& reason,
                       bool refused) {
  ++gone_;
  if (phase_ == Phase::kOver) return;
  if (phase_ == Phase::kJoining && joined_ > 0 && !had_joined && !refused) {
    if (turned_away_.empty()) again_timer_.after(kComeAgain, [this] { join_again(); });
    turned_away_.push_back(index);
    if (lost_sessions_ == 0) first_loss_ = reason;
    return;
  }
  if (lost_sessions_++ == 0) first_loss_ = reason;
  refused_ |= refused;
  if (had_joined) return;
  ++settled_;
  join_more();
}

void LoadRun::join_again() {
  if (phase_ != Phase::kJoining) return;
  gone_ -= turned_away_.size();
  for (const std::size_t index : std::exchange(turned_away_, {})) join(index);
}

void LoadRun::on_part(std::size_t viewer, std::size_t layer, Timestamp sent, ByteCount size) {
  const Timestamp now = steady_now();
  statistics_.on_part(viewer, layer, sent, size, now);
  second_bytes_ += size;
  if (layer == 0) second_.add(now - sent);
  if (phase_ == Phase::kArriving && statistics_.lost() == 0) finish();
}

void LoadRun::warm_up() {
  phase_ = Phase::kWarmUp;
  lost_sessions_ += turned_away_.size();
  if (joined_ == 0) return finish();
  options_.all_joined();
  begin_churn();
  phase_timer_.after(options_.warm_up, [this] { measure(); });
}

// In each room to the first of its publishers.
void LoadRun::begin_churn() {
  if (options_.churn <= 0) return;
  std::vector<LoadChurn::Place> places(options_.plan.rooms);
  for (std::size_t i = 0; i < options_.plan.publishers.size(); ++i) {
    const std::size_t room = options_.plan.publishers[i].room;
    if (!places[room].watches.empty()) continue;
    places[room] = {.room = room_of(room), .watches = name_of("p", i)};
  }
  churn_.emplace(io_, options_.each, options_.churn, std::move(places));
  churn_->start();
}

void LoadRun::look_at_memory() {
  if (phase_ != Phase::kMeasuring) return;
  if (const auto usage = broker_usage()) {
    memory_.push_back({.at = steady_now() - begin_.at, .resident = usage->resident});
  }
  memory_timer_.after(options_.measure / kMemoryLooks, [this] { look_at_memory(); });
}

void LoadRun::measure() {
  phase_ = Phase::kMeasuring;
  begin_ = mark();
  if (options_.churn > 0) look_at_memory();
  statistics_.begin(begin_.at);
  phase_timer_.after(options_.measure, [this] { end_measuring(); });
}

void LoadRun::end_measuring() {
  phase_ = Phase::kArriving;
  end_ = mark();
  statistics_.end(end_.at);
  phase_timer_.after(options_.each.window + kArriveTime, [this] { finish(); });
}

void LoadRun::stop() {
  if (phase_ == Phase::kMeasuring) return end_measuring();
  finish();
}

void LoadRun::finish() {
  if (std::exchange(phase_, Phase::kOver) == Phase::kOver) return;
  phase_timer_.cancel();
  progress_timer_.cancel();
  again_timer_.cancel();
  memory_timer_.cancel();
  if (churn_) churn_->stop();
  for (const auto& subscriber : subscribers_) {
    if (subscriber) subscriber->close();
  }
  for (const auto& publisher : publishers_) {
    if (publisher) publisher->close();
  }
}

void LoadRun::tell_progress() {
  const Timestamp now = steady_now();
  const DataRate rate = DataRate::of(second_bytes_, now - second_began_);
  options_.progress(fmt::format(
      "{:3.0f} s: {} joined, {:.1f} Mbit/s, base p50 {:.2f} ms, p99 {:.2f} ms, lost {:.2f} %",
      to_seconds(now - began_), joined_, static_cast<double>(rate.bps()) / 1e6,
      to_ms(second_.percentile(0.5)), to_ms(second_.percentile(0.99)),
      phase_ == Phase::kMeasuring ? 100 * statistics_.lost() : 0.0));
  second_.clear();
  second_bytes_ = {};
  second_began_ = now;
  progress_timer_.after(kSecond, [this] { tell_progress(); });
}

LoadReport LoadRun::report() const {
  LoadReport r{.publishers = publishers_.size(),
               .subscribers = subscribers_.size(),
               .rooms = options_.plan.rooms,
               .rate = options_.each.rate,
               .joined = joined_,
               .lost_sessions = lost_sessions_,
               .first_loss = first_loss_,
               .join_time = all_joined_ - began_,
               .measured = end_.at - begin_.at,
               .parts = statistics_.parts(),
               .bytes = statistics_.bytes(),
               .base = delay_of(statistics_.base()),
               .all = delay_of(statistics_.all()),
               .longest_gap = statistics_.longest_gap(),
               .load_cpu = share(end_.own - begin_.own, end_.at - begin_.at)};
  for (std::size_t layer = 0; layer < r.lost.size(); ++layer)
    r.lost[layer] = statistics_.lost(layer);
  for (const auto& publisher : publishers_) r.given_up += publisher ? publisher->given_up() : 0;
  if (churn_) r.churn = churn_->counts();
  r.memory = memory_;
  if (begin_.broker && end_.broker) {
    const ByteCount more =
        before_.broker ? end_.broker->resident - before_.broker->resident : ByteCount();
    r.broker = {
        .pid = *options_.broker_pid,
        .cpu = share(end_.broker->cpu - begin_.broker->cpu, r.measured),
        .resident = end_.broker->resident,
        .resident_each = joined_ > 0 ? more / static_cast<std::int64_t>(joined_) : ByteCount()};
  }
  return r;
}

}  // namespace qvid::lab
