// One party of a call as the window is told of it, and what follows from that alone. Pure. Text is
// UTF-8.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace qvid::ui {

// One's own microphone, as the others hear it.
enum class Microphone : std::uint8_t {
  kNone,  // nothing is sent: there is none, or it is off
  kOn,
  kMuted,
  kUnheard,  // muted, and one speaks: nobody hears it
  kTalking,  // muted, but heard while a key is held
  kHeld,     // whoever runs the room lets nothing through
};
constexpr bool is_heard(Microphone microphone) {
  return microphone == Microphone::kOn || microphone == Microphone::kTalking;
}

// How well what somebody sends comes here; of one's own, how well one is connected.
enum class LinkQuality : std::uint8_t { kUnknown, kPoor, kFair, kGood };
struct Link {
  LinkQuality quality = LinkQuality::kUnknown;
  std::string words{};  // why: "all layers, 0 % lost, delay 80 ms"

  bool operator==(const Link&) const = default;
};

struct TileModel {
  std::string key{};  // who it is to the app; one tile a key
  std::string name{};
  std::string status{};  // "waiting for the first picture", "camera off"; empty: all is well
  bool video = true;     // false: it sends none, and its last picture is forgotten
  bool speaking = false;
  double loudness = -127;  // dBov: 0 the loudest there is, -127 silence (RFC 6464)
  bool pinned = false;
  bool muted = false;        // it sends no sound; of one's own the window is told as Microphone
  float volume = 1;          // that it is played at here; 1: as it was sent
  bool silenced = false;     // it is not played here, whatever it sends
  bool own = false;          // the picture of who sits before this window
  bool share_sound = false;  // of one's own share: what other programs play goes along
  bool share = false;        // what that one shares, not a face; of one's own, what the others see
  Link link{};
  int hand = 0;  // 1: raised first of all; 0: not raised

  bool operator==(const TileModel&) const = default;
};

// The first letters of the first and the last word, as capitals: "AL" of "Ann van Lee"; "?" where
// there is no letter.
std::string initials(const std::string& name);

// How much of a meter is filled: 0 at -60 dBov and below, 1 at -10 and above; speech is between.
float meter_level(double loudness);
// The loudness that the meter shows, in steps of 3 dB: what differs by less looks the same, and in a room where nobody
// speaks nothing is drawn anew.
double shown_loudness(double loudness);

// "150 %"; empty for what is shown as 100 %, and for what is no volume.
std::string volume_text(float volume);

// Without control characters: a name from afar must not break a line.
std::string one_line(const std::string& text);

// What a tile is called: a name, "Ann: share", "Ann (you)".
std::string tile_title(const TileModel& tile);

// The key of the tile to be large where one is: one that is pinned, else what another shares, else who
// speaks, else who spoke last, else the first that is not one's own. Of several that share or speak it
// stays with `before`, so that the picture does not jump. Empty: there is no tile.
std::string large_tile(std::span<const TileModel> tiles, const std::string& before);

}  // namespace qvid::ui
