// A server and a player of stored video with a link between them, in virtual time: the pure sender
// and the pure player as the product wires them, a link that sends the most important message
// first, in order, without loss, and can be told its rate at any time.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "media/stored/priority_progress.h"
#include "media/stored/stored_playout.h"

namespace qvid::media {

// A video of two layers as the codec makes them: groups of 60 frames, classes in a pattern of four,
// the second layer's groups half a group later.
struct StoredVideo {
  FrameRate rate{30, 1};
  DataRate base = DataRate::from_kbps(500);
  DataRate enhancement = DataRate::from_kbps(1500);
  std::int64_t frames = 30 * 60 * 20;
  // The base of the first three of every ten seconds is that many times its mean.
  double busy = 1;

  static constexpr std::int64_t kGroup = 60;

  std::shared_ptr<const WireFrame> frame(std::int64_t number, std::int64_t first) const {
    CodedFrame coded;
    coded.due = Timestamp(rate.time_of(number));
    coded.captured = coded.due;
    for (std::uint8_t layer = 0; layer < 2; ++layer) {
      const std::int64_t offset = layer == 0 ? 0 : kGroup / 2;
      // A reader begins anew with a synchronisation point in every layer.
      const std::int64_t place =
          std::min((number + offset) % kGroup, std::max<std::int64_t>(number - first, 0));
      CodedUnit unit;
      unit.layer = layer;
      const int back = place % 4 == 0 ? 4 : place % 4 == 2 ? 2 : 1;
      if (place > 0) unit.depends_on.push_back({static_cast<std::uint8_t>(back), layer});
      const std::int64_t rest = kGroup - 1 - (number + offset) % kGroup;
      unit.needed_for = place % 4 == 0 ? static_cast<std::int32_t>(rest)
                        : place % 4 == 2
                            ? static_cast<std::int32_t>(std::min<std::int64_t>(rest, 1))
                            : 0;
      const double factor = layer > 0 ? 1 : number % 300 < 90 ? busy : (10 - 3 * busy) / 7;
      const DataRate of = layer == 0 ? base : enhancement;
      const auto bytes = static_cast<double>(of.bytes_in(rate.frame_time()).value()) * factor;
      unit.data = PayloadBuilder(static_cast<std::size_t>(bytes)).take();
      coded.units.push_back(std::move(unit));
    }
    return std::make_shared<const WireFrame>(serialise(std::move(coded)));
  }
};

class StoredViewing {
 public:
  static constexpr Duration kStep = 5ms;
  static constexpr Duration kOneWay = 25ms;

  StoredViewing(StoredVideo video, std::function<DataRate(Duration)> link)
      : video_(video), link_(std::move(link)), player_(video.rate, now_) {
    start(Duration::zero(), Duration::zero());
  }

  Duration elapsed() const { return now_ - kBegin; }
  Timestamp now() const { return now_; }
  StoredPlayout& player() { return player_; }
  PriorityProgress& sender() { return *sender_; }
  const std::vector<std::pair<Duration, int>>& shown() const { return shown_; }  // place, layer
  ByteCount sent() const { return sent_; }

  void run_for(Duration time) {
    for (const Timestamp end = now_ + time; now_ < end;) step();
  }
  // As a viewer does it: the server hears of it a one-way time later, reads from the last
  // synchronisation point, and the player hears of that with the first message.
  void seek(Duration to, Duration begin_before = {}) {
    player_.seek(to, now_);
    events_.emplace(now_ + kOneWay, [this, to, begin_before] {
      start(to, std::max(Duration::zero(), to - begin_before));
    });
  }

 private:
  struct Waiting {
    PriorityProgress::Part part;
    Payload payload;
    std::size_t left = 0;
  };
  using Key = std::pair<int, std::uint64_t>;

  void start(Duration to, Duration from) {
    ++stream_;
    queue_.clear();
    sender_ = std::make_unique<PriorityProgress>(video_.rate, to);
    first_ = next_ = (from + video_.rate.frame_time() / 2) / video_.rate.frame_time();
    ended_ = false;
    events_.emplace(now_ + kOneWay, [this, to, stream = stream_] {
      if (stream == stream_) player_.begin(to, now_);
    });
  }

  void step() {
    now_ += kStep;
    while (!events_.empty() && events_.begin()->first <= now_) {
      const auto event = std::move(events_.begin()->second);
      events_.erase(events_.begin());
      event();
    }
    read();
    poll();
    transmit();
    play();
  }

  void read() {
    while (video_.rate.time_of(next_) <= sender_->read_until() && next_ < video_.frames) {
      sender_->on_frame(video_.frame(next_++, first_));
      changed_ = true;
    }
    if (next_ == video_.frames) sender_->on_end();
    if (sender_->complete() && !std::exchange(ended_, true)) {
      events_.emplace(now_ + kOneWay, [this, stream = stream_] {
        if (stream == stream_) player_.on_end(now_);
      });
    }
  }

  void poll() {
    if (!std::exchange(changed_, false) && now_ < polled_ + PriorityProgress::kTurn) return;
    polled_ = now_;
    auto decisions = sender_->poll(now_);
    for (auto& send : decisions.sends) {
      const std::size_t size = send.payload.size();
      queue_[{-send.importance, send.position}] = {send.part, std::move(send.payload), size};
    }
    for (const auto& part : decisions.cancels) {
      const auto it = std::find_if(queue_.begin(), queue_.end(),
                                   [&](const auto& w) { return w.second.part == part; });
      if (it == queue_.end()) continue;
      queue_.erase(it);
      sender_->on_part_ended(part, false);
    }
  }

  void transmit() {
    budget_ += link_(elapsed()).bytes_in(kStep);
    if (queue_.empty()) budget_ = {};
    while (!queue_.empty() && budget_ > ByteCount()) {
      auto it = queue_.begin();
      const std::size_t bytes = std::min(it->second.left, budget_.size());
      it->second.left -= bytes;
      budget_ -= ByteCount::of(bytes);
      sent_ += ByteCount::of(bytes);
      if (it->second.left > 0) continue;
      deliver(it->first.second, it->second);
      queue_.erase(it);
    }
  }

  void deliver(std::uint64_t position, const Waiting& message) {
    events_.emplace(now_ + kOneWay, [this, position, message, stream = stream_] {
      if (stream != stream_) return;
      auto parsed = parse_frame_message(position, message.payload);
      ASSERT_TRUE(parsed) << parsed.error().message;
      player_.on_message(*std::move(parsed), now_);
    });
    events_.emplace(now_ + 2 * kOneWay, [this, part = message.part, stream = stream_] {
      if (stream == stream_) sender_->on_part_ended(part, true);
    });
  }

  void play() {
    while (auto task = player_.next_task(now_)) {
      int layer = -1;
      if (!task->frames.empty() && task->frames.back().number == task->number) {
        layer = task->frames.back().units.back().layer;
      }
      if (task->again) better_ = layer >= 0 ? better_ + 1 : better_;
      if (!task->again && layer < 0) player_.on_lost();
      if (!task->again && layer >= 0) pending_.push_back({*std::move(task), layer});
    }
    while (!pending_.empty() && player_.show_time(pending_.front().first.due) <= now_) {
      player_.on_shown(pending_.front().first, pending_.front().second, now_);
      shown_.emplace_back(pending_.front().first.due, pending_.front().second);
      pending_.pop_front();
    }
    if (seek_epoch_ != player_.seek_epoch()) pending_.clear();
    seek_epoch_ = player_.seek_epoch();
    if (now_ < reported_ + 250ms) return;
    reported_ = now_;
    if (player_.state() == StoredPlayout::State::kMoving) return;
    events_.emplace(now_ + kOneWay,
                    [this, at = player_.place(now_), runs = player_.runs(), stream = stream_] {
                      if (stream == stream_)
                        sender_->on_position(at, runs ? 1 : 0, 2 * kOneWay, now_);
                    });
  }

  static constexpr Timestamp kBegin = Timestamp(1000s);
  const StoredVideo video_;
  const std::function<DataRate(Duration)> link_;
  Timestamp now_ = kBegin;
  StoredPlayout player_;
  std::unique_ptr<PriorityProgress> sender_;
  int stream_ = 0;
  std::int64_t first_ = 0;
  std::int64_t next_ = 0;
  bool ended_ = false;
  bool changed_ = true;
  Timestamp polled_{};
  Timestamp reported_{};
  std::multimap<Timestamp, std::function<void()>> events_;
  std::map<Key, Waiting> queue_;
  ByteCount budget_;
  ByteCount sent_;
  std::deque<std::pair<StoredPlayout::Task, int>> pending_;
  std::int64_t seek_epoch_ = 0;
  std::vector<std::pair<Duration, int>> shown_;
  int better_ = 0;
};

}  // namespace qvid::media
