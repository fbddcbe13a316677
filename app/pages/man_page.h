// The command line as manual pages, in man(7)'s roff: made of what `--help` is made of. Pure.
#pragma once

#include <string>
#include <vector>

#include "app/options/cli.h"

namespace qvid::app {

// `names`: of the program and its sub-commands down to this one: {"qvid", "admin", "kick"}. Its own
// sub-commands are on the page; `see`: other pages, as "qvid-call(1)".
struct ManPage {
  std::vector<std::string> names;
  std::string version;  // "Qvid 0.1.0"
  std::vector<std::string> see{};
};
std::string man_page(const CLI::App& command, const ManPage& page);

// A text that roff shows as it is.
std::string roff_text(const std::string& text);

}  // namespace qvid::app
