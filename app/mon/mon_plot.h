// A session's signals over time as a picture: stacked panels with one axis of time, failovers and
// resumptions marked. Drawn with Cairo. Pure but for the file.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "app/mon/mon_history.h"
#include "base/result.h"

namespace qvid::app {

// Where an axis from 0 to `top` has its marks: round numbers, at most `most` of them besides zero,
// the last at or beyond `top`. Preconditions: top positive and finite, most at least 2.
std::vector<double> axis_marks(double top, int most);

// Writes a PNG; panels of which nothing is known are left out. The error says why it cannot be
// written. Precondition: samples not empty.
Result<std::monostate> plot_signals(const Samples& samples, const std::string& title,
                                    const std::filesystem::path& path);

}  // namespace qvid::app
