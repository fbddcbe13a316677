// What `qvid` does at a command line. Without the headers of CLI11: they cost ten seconds.
#pragma once

#include <string>
#include <vector>

#include "app/options/exit_codes.h"

namespace qvid::app {

// The sub-command that is meant where none is typed.
inline constexpr const char* kStart = "start";

// `words`: without the program's name. What is wrong with them is told on standard error.
ExitCode run_words(std::vector<std::string> words, const std::string& version);

// No command of a person's: `qvid --write-pages FOLDER` writes what a package has of it: FOLDER/man1/
// (a page a sub-command) and FOLDER/completions/: qvid for bash, qvid.fish, _qvid for zsh.
inline constexpr const char* kWritePages = "--write-pages";
ExitCode write_pages(const std::string& folder, const std::string& version);

}  // namespace qvid::app
