#include "app/command/party_people.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "base/text.h"

namespace qvid::app {

std::map<std::string, int> hands_of(const PartyReport& report, const std::string& own_name) {
  std::vector<std::pair<std::int64_t, std::string>> raised;
  if (report.order.own_hand > 0) raised.emplace_back(report.order.own_hand, own_name);
  for (const auto& [name, member] : report.members) {
    if (member.hand > 0) raised.emplace_back(member.hand, name);
  }
  std::ranges::sort(raised);
  std::map<std::string, int> hands;
  for (const auto& [number, name] : raised) hands.emplace(name, static_cast<int>(hands.size()) + 1);
  return hands;
}

std::string recorders_of(const PartyReport& report) {
  std::string recorders;
  for (const auto& [name, member] : report.members) {
    if (member.records) recorders += (recorders.empty() ? "" : ", ") + printable(name);
  }
  return recorders;
}

ui::PeopleModel party_people(const PartyReport& report, const PeopleWanted& wanted) {
  const auto hands = hands_of(report, wanted.own_name);
  const auto hand_of = [&](const std::string& name) {
    const auto found = hands.find(name);
    return found == hands.end() ? 0 : found->second;
  };
  ui::PeopleModel model{.hands = report.order.hands,
                        .own_hand = report.order.own_hand > 0,
                        .moderates = report.order.moderates,
                        .locked = report.order.locked,
                        .chat = wanted.chat,
                        .most_volume = Volume::kMost};
  model.people.push_back({.name = wanted.own_name,
                          .own = true,
                          .hand = hand_of(wanted.own_name),
                          .muted = wanted.own_muted,
                          .held = report.order.held});
  for (const auto& [name, member] : report.members) {
    if (name == wanted.own_name) continue;  // an old session of one's own
    const auto changed = report.volumes.find(name);
    const Volume volume = changed == report.volumes.end() ? Volume() : changed->second;
    const bool takes_part = member.takes_part();
    model.people.push_back({.name = name,
                            .hand = hand_of(name),
                            .muted = takes_part && (!member.voice || member.voice->muted),
                            .held = member.held,
                            .records = member.records,
                            .volume = volume.level,
                            .silenced = volume.silenced,
                            .tile = takes_part,
                            .pinned = name == wanted.pinned,
                            .audible = wanted.hears && member.voice});
  }
  const auto place = [](const ui::Person& person) {
    return person.hand > 0 ? person.hand : std::numeric_limits<int>::max();
  };
  std::ranges::stable_sort(model.people, std::less<>(), place);
  return model;
}

}  // namespace qvid::app
