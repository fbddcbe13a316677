// Whether a secret that was shown is the one that is wanted. Takes the same time wherever two of one
// length differ, so that nobody finds it out piece by piece.
#pragma once

#include <string_view>

namespace paceline {

bool same_secret(std::string_view shown, std::string_view wanted);

}  // namespace paceline
