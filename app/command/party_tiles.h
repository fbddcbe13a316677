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
// Where everybody has a tile, it is somebody's, with a seat or without. Else a seat's, and shows
// whoever sits there: the next one takes over with its first picture.
std::string member_tile(const std::string& name);
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

// Whose pictures are worth a seat, of the tiles that were drawn last (CallWindow::shown()): as many names
// as there are seats, who is pinned or large before the others. Empty: there are seats for all.
std::vector<std::string> wanted_pictures(const PartyReport& report,
                                         const std::vector<ui::TileModel>& tiles,
                                         const std::vector<std::string>& shown, std::size_t seats);

}  // namespace qvid::app
