// FFmpeg's library of devices, loaded by who opens the first of them.
#pragma once

#include <optional>

#include "base/result.h"

namespace qvid::media {

// libavdevice brings some sixty libraries along, a fifth of what a program takes to start. Most
// programs open no camera and no screen, and the process that decodes for strangers must not have them.
// From then on FFmpeg knows the devices' formats. Any thread; returns why not, where it cannot be loaded.
std::optional<Error> load_device_library();

}  // namespace qvid::media
