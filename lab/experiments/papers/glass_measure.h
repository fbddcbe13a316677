// What experiments between displays make alike of a run (lab/glass/glass_figures.h has the figures).
#pragma once

#include <string>

#include "lab/bed/run_result.h"
#include "lab/experiments/outcome.h"
#include "lab/glass/glass_figures.h"

namespace qvid::lab {

GlassSpan measured_of(const RunResult& run);

// Packets that came to the link from the near end, Mbit/s, without a greedy flow's: retransmissions
// count, and what the link drops.
double sent_mbps(const RunResult& run);

// It did not fail, nor did a player, and all that it needs is installed.
bool was_seen(const RunResult& run);

// One line of a drawing: the greatest delay of each quarter of a second.
Series delay_line(std::string name, const RunResult& run);
Panel delay_panel(std::string title, double seconds);

std::string lower(std::string text);

}  // namespace qvid::lab
