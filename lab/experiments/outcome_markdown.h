// An outcome as a section of Markdown.
#pragma once

#include <string>
#include <string_view>

#include "lab/experiments/outcome.h"

namespace qvid::lab {

// `images`: what comes before a picture's name, as "images/lab/".
std::string markdown_of(const Outcome& outcome, std::string_view images);

// "16384", "34.5", "0.02": about four figures, none for show. Not finite: "–".
std::string number_text(double value);
// In a table's cell, or a line of a list: on one line, and nothing in it is markup.
std::string cell_text(std::string_view text);

}  // namespace qvid::lab
