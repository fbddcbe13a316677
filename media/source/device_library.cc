#include "media/source/device_library.h"

#include <dlfcn.h>

#include <string>

extern "C" {
#include <libavdevice/avdevice.h>
#include <libavutil/macros.h>
}

namespace qvid::media {
namespace {

// The version whose headers we are compiled with.
constexpr const char* kDeviceLibrary = "libavdevice.so." AV_STRINGIFY(LIBAVDEVICE_VERSION_MAJOR);

std::optional<Error> load_once() {
  void* const library = dlopen(kDeviceLibrary, RTLD_NOW);  // kept until the process ends
  const auto register_all = library ? reinterpret_cast<decltype(&avdevice_register_all)>(
                                          dlsym(library, "avdevice_register_all"))
                                    : nullptr;
  if (!register_all) {
    const char* const why = dlerror();
    return Error{std::string("cameras and screens need ") + kDeviceLibrary +
                 " of FFmpeg: " + (why ? why : "it is not what it should be") +
                 "; on Debian install libavdevice" + AV_STRINGIFY(LIBAVDEVICE_VERSION_MAJOR)};
  }
  register_all();
  return std::nullopt;
}

}  // namespace

std::optional<Error> load_device_library() {
  static const std::optional<Error> error = load_once();
  return error;
}

}  // namespace qvid::media
