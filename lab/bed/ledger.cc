#include "lab/bed/ledger.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace qvid::lab {

Ledger::Ledger(const RunClock& clock, const FlowSpec& spec, UnitListener on_unit)
    : clock_(clock),
      video_(spec.workload == Workload::kVideo),
      window_(spec.window),
      on_unit_(std::move(on_unit)),
      delivered_(clock.slots()) {}

void Ledger::on_bytes(std::int64_t bytes, Timestamp now) {
  if (now - clock_.begin < clock_.duration) delivered_[clock_.slot(now)] += bytes;
}

void Ledger::on_adu(const Adu& adu, Timestamp now) {
  if (on_unit_) on_unit_(adu, now);
  const auto delay = static_cast<float>(to_ms(now - adu.produced));
  if (clock_.measured(now) && delays_ms_.size() < kMostDelays) delays_ms_.push_back(delay);
  if (!video_ || adu.layer >= kLayers || adu.frame >= kMostFrames) return;
  if (frames_.size() <= adu.frame) frames_.resize(adu.frame + 1);
  Frame& frame = frames_[adu.frame];
  frame.captured = adu.produced;
  if (now <= adu.produced + window_) {
    frame.in_time = static_cast<std::uint8_t>(frame.in_time | 1u << adu.layer);
    frame.bytes[adu.layer] = adu.bytes;
  }
  if (!clock_.frame_counts(adu.produced, window_)) return;
  video_bytes_ += adu.bytes;
  if (layer_delays_ms_[adu.layer].size() < kMostDelays)
    layer_delays_ms_[adu.layer].push_back(delay);
}

void Ledger::fill(FlowResult& result, std::uint32_t frames) const {
  result.slots.resize(clock_.slots());
  for (std::size_t i = 0; i < delivered_.size(); ++i) result.slots[i].delivered = delivered_[i];
  result.delays_ms = delays_ms_;
  if (!video_) return;
  VideoResult& video = result.video;
  video.frames = frames;
  video.delays_ms = layer_delays_ms_;
  video.delivered = video_bytes_;
  video.shown_each_second.resize(static_cast<std::size_t>((clock_.duration + 1s - 1ns) / 1s));
  for (const Frame& frame : frames_) {
    // Layers that came, up to the first that did not.
    const int layers = std::countr_one(frame.in_time);
    if (layers == 0) continue;
    const Duration since = frame.captured - clock_.begin;
    const auto second = static_cast<std::size_t>(std::max(since, Duration(0)) / 1s);
    if (second < video.shown_each_second.size()) ++video.shown_each_second[second];
    if (!clock_.frame_counts(frame.captured, window_)) continue;
    ++video.shown;
    video.layers += static_cast<std::uint64_t>(layers);
    for (int i = 0; i < layers; ++i) video.used += frame.bytes[static_cast<std::size_t>(i)];
  }
}

}  // namespace qvid::lab
