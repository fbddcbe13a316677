// How tall a member shows the pictures of the others, so that nobody sends more than anybody sees: in
// a call of five at 640x360 a tile has half of the lines that a camera gives.
//
// An attribute of the member, and so known to all in the room:
//   "heights": [["", 180], ["Ann", 630]]      lines; of who has no entry of its own, the one of ""
// Who says nothing may show everything whole. Each change is told to everybody: so it is in steps, of as
// few names as are much larger than the others. Pure.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace qvid::app {

inline constexpr const char* kHeightsAttribute = "heights";

class ShownHeights {
 public:
  static constexpr int kStep = 30;  // lines: usual pictures are a multiple of it tall
  static constexpr int kMost = 1 << 16;
  static constexpr std::size_t kMostNamed = 4;

  // Shows nobody.
  ShownHeights() = default;
  // By name, lines of the screen, of who is shown. Who is not now, may be in a moment, as the least is.
  explicit ShownHeights(const std::map<std::string, int>& shown);
  // Of a member's attributes, whatever they are; empty: it does not say.
  static std::optional<ShownHeights> read(const nlohmann::json& attributes);

  // Lines of that member's picture; 0: none.
  int of(const std::string& name) const;
  nlohmann::json attribute() const;
  bool operator==(const ShownHeights&) const = default;

 private:
  int others_ = 0;
  std::map<std::string, int> named_;
};

}  // namespace qvid::app
