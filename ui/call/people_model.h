// Who is in a call, as the panel of people is told. Text is UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace qvid::ui {

struct Person {
  std::string name{};
  bool own = false;
  int hand = 0;        // 1: raised first of all; 0: not raised
  bool muted = false;  // sends no sound
  bool held = false;   // whoever runs the room lets none of it through
  bool records = false;
  float volume = 1;       // played at here; 1: as it was sent
  bool silenced = false;  // not played here
  bool tile = false;      // it can be pinned
  bool pinned = false;
  bool audible = false;  // there is sound to play here, now or when it is sent

  bool operator==(const Person&) const = default;
};

struct PeopleModel {
  std::vector<Person> people{};  // in the order to be shown
  bool hands = false;            // one's own can be raised
  bool own_hand = false;
  bool moderates = false;  // one may hold sound, remove and lock
  bool locked = false;     // nobody else comes in
  bool chat = false;       // one can be written to
  float most_volume = 4;

  bool operator==(const PeopleModel&) const = default;
};

enum class PersonAction : std::uint8_t {
  kNone,
  kPin,      // or let go
  kSilence,  // or hear again
  kVolume,   // to `volume`
  kWrite,
  kHold,  // its sound, or let it through
  kRemove,
  kHand,  // one's own, up or down
  kLock,  // the room, or open it
};
struct PersonInput {
  PersonAction action = PersonAction::kNone;
  std::string name{};
  float volume = 1;
};

}  // namespace qvid::ui
