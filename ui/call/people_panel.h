// The people of a call, in its side panel: a line for each, and for the one that is opened what can be
// done about it. Thread: the main thread, inside a frame of ImGui.
#pragma once

#include <string>

#include "ui/call/people_model.h"

namespace qvid::ui {

class PeoplePanel {
 public:
  // What the user did in this frame.
  PersonInput draw(const PeopleModel& model);

 private:
  void draw_room(const PeopleModel& model, PersonInput& input);
  void draw_person(const Person& person, const PeopleModel& model, PersonInput& input);
  void draw_actions(const Person& person, const PeopleModel& model, PersonInput& input);

  std::string opened_;    // name
  std::string removing_;  // to be confirmed
};

}  // namespace qvid::ui
