// The file of settings (app/settings/settings.h), which several programs of one user may read and
// write at a time: whole or not at all, under a lock, for its owner alone.
//
// A file that is no TOML is set aside, as FILE.broken, which is told; what is remembered begins anew.
// Nobody waits long for it and no call fails by it. Thread: any.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "base/result.h"

namespace qvid::app {

// $XDG_CONFIG_HOME/qvid/settings.toml, or in ~/.config; empty where there is neither: nothing is
// remembered.
std::filesystem::path settings_file();

// What it says, and what is wrong with it, a sentence each. No file: the defaults.
ReadSettings load_settings(const std::filesystem::path& file);

// Reads it again, changes that, and writes it; what others changed meanwhile stays. Error: it cannot
// be written, and is as it was.
std::optional<Error> change_settings(const std::filesystem::path& file,
                                     const std::function<void(Settings&)>& change);

}  // namespace qvid::app
