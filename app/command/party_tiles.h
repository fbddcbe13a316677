// The tiles of a call's window, of what is known of its room. Pure.
#pragma once

#include <string>
#include <vector>

#include "app/command/link_signs.h"
#include "app/room/party_report.h"
#include "ui/window/tile_model.h"

namespace qvid::app {

inline constexpr const char* kOwnTile = "own";
inline constexpr const char* kOwnShareTile = "own share";
// A seat's tile shows whoever sits there: the next one takes over with its first picture.
std::string seat_tile(int seat);
std::string share_tile(int seat);

// Whom, or whose share, the user wants large; nobody where the name is empty.
struct Pinned {
  std::string name{};
  bool share = false;
  bool operator==(const Pinned&) const = default;
};

struct TilesWanted {
  bool everybody = true;  // also who has no seat; else who was asked for alone
  Pinned pinned{};
  std::string own_name{};
  bool own_picture = false;
  bool own_muted = false;
  bool own_share = false;
  const LinkSigns* links = nullptr;  // null: nothing is told of connections
};
// What is shared, those with a seat, one's own, and then, by name, everybody else who is heard or would be seen: who
// has no camera, and those for whom there are no seats.
std::vector<ui::TileModel> party_tiles(const PartyReport& report, const TilesWanted& wanted);

}  // namespace qvid::app
