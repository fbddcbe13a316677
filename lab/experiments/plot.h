// A plot as a PNG, drawn by gnuplot. What we measured is drawn in solid colours; what the papers
// published has the same colour, greyer and dashed, where it has the same name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "lab/experiments/outcome.h"

namespace qvid::lab {

// What gnuplot is to do; the PNG comes to its standard output. Pure. Texts of the plot stay texts:
// none of them can hold a command.
std::string script_of(const Plot& plot);

// Why it was not drawn. `png` is replaced in one step, and only by a whole picture.
std::optional<Error> draw(const Plot& plot, const std::filesystem::path& png);

// Empty where gnuplot can be run; else what to install, in a sentence.
std::string missing_for_plots();

}  // namespace qvid::lab
