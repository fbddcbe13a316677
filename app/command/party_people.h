// The people of a call as its window is told of them, of what is known of the room. Pure.
#pragma once

#include <map>
#include <string>

#include "app/room/party_report.h"
#include "ui/call/people_model.h"

namespace qvid::app {

// Which each is of those who have raised their hands, from 1 on; oneself too.
std::map<std::string, int> hands_of(const PartyReport& report, const std::string& own_name);

struct PeopleWanted {
  std::string own_name{};
  std::string pinned{};
  bool own_muted = false;
  bool hears = false;  // sound is played here
  bool chat = false;   // there is chat
};
// Who has raised its hand first, in that order; then oneself, then the others by name.
// The names of those who record, as they are shown; empty: nobody does.
std::string recorders_of(const PartyReport& report);
ui::PeopleModel party_people(const PartyReport& report, const PeopleWanted& wanted);

}  // namespace qvid::app
