// The language of the windows, as a person has chosen it.
#pragma once

#include <string>

namespace qvid::app {

// From now on: Settings::language, else the environment's, by the catalogues installed with this
// program (bin/../share/locale). While no other thread is at work.
void speak_language(const std::string& language);

}  // namespace qvid::app
