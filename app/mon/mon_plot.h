// A session's signals over time as a picture: stacked panels with one axis of time, failovers and
// resumptions marked. Drawn by gnuplot, which is a package of its own. Thread: one at a time.
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

// What gnuplot draws, with its data; the PNG comes on its stdout. Panels of which nothing is known
// are left out. Pure. Precondition: samples not empty.
std::string plot_script(const Samples& samples, const std::string& title);

// Starts gnuplot and waits for the PNG. The error says why there is none; where gnuplot is not
// there, the script is left beside it, for another machine.
Result<std::monostate> plot_signals(const Samples& samples, const std::string& title,
                                    const std::filesystem::path& path);

}  // namespace qvid::app
