#include "app/command/link_signs.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>

#include "ui/text/translated.h"

namespace qvid::app {
namespace {

// In steps, so that a window that shows it has nothing to draw while it is the same.
double in_tens_of_ms(Duration d) { return 10 * std::round(to_ms(d) / 10); }

}  // namespace

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
    flow.meter.add({now, p.frames_shown, p.frames_lost, p.shown_full});
  }
  if (report.sound) {
    for (const HeardReport& heard : report.sound->heard) {
      if (!heard.seat || there.contains(heard.name)) continue;
      Flow& flow = flow_of(heard.name, false, -1);
      const media::SoundPlayoutStats& p = heard.playout;
      flow.delay = p.delay;
      flow.meter.add({now, p.packets, p.lost + p.late, p.packets});
    }
  }
  std::erase_if(flows_, [&](const auto& flow) { return !there.contains(flow.first); });
}

ui::Link LinkSigns::of(const std::string& name) const {
  const auto found = flows_.find(name);
  if (found == flows_.end()) return {};
  const Flow& flow = found->second;
  const auto reading = flow.picture ? flow.meter.picture() : flow.meter.sound();
  if (!reading) return {};
  const auto quality = static_cast<ui::LinkQuality>(reading->bars);
  if (!reading->comes) return {.quality = quality, .words = ui::tr("no picture comes")};
  const char* const words = !flow.picture ? ui::tr("sound only: {:.0f} % lost, delay {:.0f} ms")
                            : reading->whole
                                ? ui::tr("all layers, {:.0f} % lost, delay {:.0f} ms")
                                : ui::tr("without the upper layer, {:.0f} % lost, delay {:.0f} ms");
  return {.quality = quality,
          .words = ui::filled(words, 100 * reading->loss, in_tens_of_ms(flow.delay))};
}

ui::Link own_link(const PartyReport& report) {
  if (!report.joined || report.network.interrupted) {
    return {.quality = ui::LinkQuality::kPoor, .words = ui::tr("no connection")};
  }
  const int bars = bars_of_round_trip(report.network.rtt);
  if (bars == 0) return {};
  return {.quality = static_cast<ui::LinkQuality>(bars),
          .words = ui::filled(ui::tr("{:.0f} ms to the broker and back"),
                              in_tens_of_ms(report.network.rtt))};
}

}  // namespace qvid::app
