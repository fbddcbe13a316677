#include "app/command/link_signs.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "ui/text/translated.h"

namespace qvid::app {
namespace {

constexpr double kPoorLoss = 0.05;
constexpr double kFairLoss = 0.01;
constexpr double kFairFull = 0.8;
constexpr Duration kFairRoundTrip = std::chrono::milliseconds(300);
constexpr Duration kPoorRoundTrip = std::chrono::milliseconds(800);

// In steps, so that a window that shows it has nothing to draw while it is the same.
double in_tens_of_ms(Duration d) { return 10 * std::round(to_ms(d) / 10); }

}  // namespace

void LinkSigns::add(Flow& flow, Count count) {
  if (!flow.counts.empty()) {
    if (flow.counts.back().before(count)) flow.counts.clear();
    if (!flow.counts.empty() && count.at - flow.counts.back().at < kStep) return;
  }
  flow.counts.push_back(count);
  while (count.at - flow.counts.front().at > kSpan) flow.counts.pop_front();
}

void LinkSigns::note(const PartyReport& report, Timestamp now) {
  std::set<std::string> there;
  const auto flow_of = [&](const std::string& name, bool picture, int seat) -> Flow& {
    there.insert(name);
    Flow& flow = flows_[name];
    if (flow.picture != picture || flow.seat != seat) flow = {.picture = picture, .seat = seat};
    return flow;
  };
  for (const SeatReport& seat : report.seats) {
    if (seat.name.empty()) continue;
    Flow& flow = flow_of(seat.name, true, seat.seat);
    const media::PlaybackStats& p = seat.playback;
    flow.delay = p.playout;
    add(flow, {now, p.frames_shown, p.frames_lost, p.shown_full});
  }
  if (report.sound) {
    for (const HeardReport& heard : report.sound->heard) {
      if (!heard.seat || there.contains(heard.name)) continue;
      Flow& flow = flow_of(heard.name, false, -1);
      const media::SoundPlayoutStats& p = heard.playout;
      flow.delay = p.delay;
      add(flow, {now, p.packets, p.lost + p.late, p.packets});
    }
  }
  std::erase_if(flows_, [&](const auto& flow) { return !there.contains(flow.first); });
}

ui::Link LinkSigns::link_of(const Flow& flow) {
  const Count& first = flow.counts.front();
  const Count& last = flow.counts.back();
  const auto come = static_cast<double>(last.come - first.come);
  const auto lost = static_cast<double>(last.lost - first.lost);
  const auto full = static_cast<double>(last.full - first.full);
  if (come + lost <= 0) {
    if (!flow.picture) return {};  // who is silent sends nothing
    return {.quality = ui::LinkQuality::kPoor, .words = ui::tr("no picture comes")};
  }
  const double loss = lost / (come + lost);
  const bool whole = full >= kFairFull * come;
  ui::Link link{.quality = ui::LinkQuality::kGood};
  if (loss > kFairLoss || !whole) link.quality = ui::LinkQuality::kFair;
  if (loss > kPoorLoss) link.quality = ui::LinkQuality::kPoor;
  link.words =
      ui::filled(!flow.picture ? ui::tr("sound only: {:.0f} % lost, delay {:.0f} ms")
                 : whole       ? ui::tr("all layers, {:.0f} % lost, delay {:.0f} ms")
                               : ui::tr("without the upper layer, {:.0f} % lost, delay {:.0f} ms"),
                 100 * loss, in_tens_of_ms(flow.delay));
  return link;
}

ui::Link LinkSigns::of(const std::string& name) const {
  const auto found = flows_.find(name);
  if (found == flows_.end()) return {};
  const std::deque<Count>& counts = found->second.counts;
  if (counts.empty() || counts.back().at - counts.front().at < kLeast) return {};
  return link_of(found->second);
}

ui::Link own_link(const PartyReport& report) {
  if (!report.joined || report.network.interrupted) {
    return {.quality = ui::LinkQuality::kPoor, .words = ui::tr("no connection")};
  }
  const Duration rtt = report.network.rtt;
  if (rtt <= Duration::zero()) return {};
  return {.quality = rtt >= kPoorRoundTrip   ? ui::LinkQuality::kPoor
                     : rtt >= kFairRoundTrip ? ui::LinkQuality::kFair
                                             : ui::LinkQuality::kGood,
          .words = ui::filled(ui::tr("{:.0f} ms to the broker and back"), in_tens_of_ms(rtt))};
}

}  // namespace qvid::app
