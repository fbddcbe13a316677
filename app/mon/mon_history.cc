#include "app/mon/mon_history.h"

#include <algorithm>
#include <utility>

namespace qvid::app {

void SignalHistory::push(paceline::SignalSample sample) {
  const Duration now = sample.time;
  if (const Samples* known = of(sample.session); known != nullptr && now < known->back().time) {
    sessions_.clear();
    end_ = {};
  }
  end_ = std::max(end_, now);
  Track& track = sessions_[sample.session];
  Samples& samples = track.samples;
  if (track.seen++ % track.stride != 0 && samples.size() > 1) {
    // Of each `stride` samples the latest stays, so the last one here is always the newest.
    samples.back() = std::move(sample);
  } else {
    samples.push_back(std::move(sample));
  }
  if (keep_) {
    while (samples.size() > 1 && samples[1].time <= now - *keep_) samples.pop_front();
  }
  if (samples.size() > kMaxSamples) {
    for (std::size_t i = 1; 2 * i < samples.size(); ++i) samples[i] = std::move(samples[2 * i]);
    samples.resize((samples.size() + 1) / 2);
    track.stride *= 2;
  }
  if (sessions_.size() > kMaxSessions) {
    sessions_.erase(std::ranges::min_element(
        sessions_, {}, [](const auto& s) { return s.second.samples.back().time; }));
  }
}

std::vector<std::uint64_t> SignalHistory::sessions() const {
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, track] : sessions_) numbers.push_back(number);
  return numbers;
}

const Samples* SignalHistory::of(std::uint64_t session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : &found->second.samples;
}

std::optional<std::uint64_t> SignalHistory::newest() const {
  if (sessions_.empty()) return std::nullopt;
  for (auto i = sessions_.rbegin(); i != sessions_.rend(); ++i) {
    if (i->second.samples.back().time >= end_ - kSilent) return i->first;
  }
  return sessions_.rbegin()->first;
}

}  // namespace qvid::app
