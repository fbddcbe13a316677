// One party of a call as the window is told of it, and what follows from that alone. Pure. Text is
// UTF-8; the font has Latin-1.
#pragma once

#include <span>
#include <string>

namespace qvid::ui {

struct TileModel {
  std::string key{};  // who it is to the app; one tile a key
  std::string name{};
  std::string status{};  // "waiting for the first picture", "camera off"; empty: all is well
  bool video = true;     // false: it sends none, and its last picture is forgotten
  bool speaking = false;
  bool pinned = false;
  bool muted = false;
  bool own = false;  // the picture of who sits before this window
};

// The first letters of the first and the last word, as capitals: "AL" of "Ann van Lee"; "?" where
// there is no letter.
std::string initials(const std::string& name);

// Without control characters: a name from afar must not break a line.
std::string one_line(const std::string& text);

// The key of the tile to be large where one is: one that is pinned, else who speaks, else who spoke
// last, else the first that is not one's own. Of several who speak it stays with `before`, so that
// the picture does not jump. Empty: there is no tile.
std::string large_tile(std::span<const TileModel> tiles, const std::string& before);

}  // namespace qvid::ui
