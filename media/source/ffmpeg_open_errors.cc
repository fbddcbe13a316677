#include "media/source/ffmpeg_open_errors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>

#include "media/source/ffmpeg_open.h"

extern "C" {
#include <libavutil/error.h>
}

namespace qvid::media {
namespace {

std::string path_of(const SourceSpec& spec) {
  return spec.device.starts_with("file://") ? spec.device.substr(7) : spec.device;
}

Error camera_error(const SourceSpec& spec, int error) {
  switch (AVUNERROR(error)) {
    case ENOENT:
    case ENXIO:
      return {"there is no camera at " + spec.device +
              "; plug it in, or choose one that `qvid sources` lists"};
    case EBUSY: return {"camera " + spec.device + " is busy; close the program that is using it"};
    case EACCES:
    case EPERM:
      return {"no permission to use camera " + spec.device +
              "; add yourself to the group video (sudo usermod -aG video $USER) and log in again"};
    case ENODEV:
    case ENOTTY:
      return {spec.device +
              " is not a camera that can capture; choose one that `qvid sources` "
              "lists"};
    default:
      return {"camera " + spec.device + " does not start (" + ffmpeg_words(error) +
              "); try another size or rate, or plug it in again"};
  }
}

Error screen_error(const SourceSpec& spec, int error) {
  if (spec.area.window != 0) {
    return {"there is no window to be seen with the number " + spec.area.text().substr(7) +
            " on display \"" + spec.device + "\", or the display lets nobody in (" +
            ffmpeg_words(error) + "); choose one that `qvid sources` lists"};
  }
  if (spec.area.size != PictureSize{}) {
    return {"cannot capture " + spec.area.text() + " of display \"" + spec.device + "\" (" +
            ffmpeg_words(error) + "); `qvid sources` tells how large it is"};
  }
  const char* display = std::getenv("DISPLAY");
  const bool is_set = display != nullptr && *display != '\0';
  return {"cannot capture display \"" + spec.device + "\" (" + ffmpeg_words(error) +
          "; DISPLAY is " + (is_set ? '"' + std::string(display) + '"' : "not set") +
          "); check that it is running and lets you in, or name another one, like screen::0"};
}

}  // namespace

std::optional<Error> local_file_error(const SourceSpec& spec) {
  const std::string path = path_of(spec);
  const std::string shown = '"' + path + '"';
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) {
    const int reason = errno;
    if (reason == ENOENT || reason == ENOTDIR) {
      return Error{"there is no file " + shown + "; check the path"};
    }
    if (reason == EACCES) {
      return Error{"no permission to reach the file " + shown +
                   "; ask its owner, or copy it where you may read it"};
    }
    return Error{"cannot open the file " + shown + " (" + std::generic_category().message(reason) +
                 "); check the path"};
  }
  if (S_ISDIR(about.st_mode)) {
    return Error{shown + " is a folder, not a video; name a file in it"};
  }
  if (S_ISCHR(about.st_mode) && path.starts_with("/dev/video")) {
    return Error{shown + " is a device, not a file; type camera:" + path};
  }
  if (!S_ISREG(about.st_mode)) {
    return Error{shown + " is neither a file nor a URL; name a video file"};
  }
  if (::access(path.c_str(), R_OK) != 0) {
    return Error{"no permission to read the file " + shown +
                 "; ask its owner, or change it with chmod +r"};
  }
  if (about.st_size == 0) {
    return Error{"the file " + shown + " is empty; name a video file"};
  }
  return std::nullopt;
}

Error open_error(const SourceSpec& spec, int ffmpeg_error) {
  if (spec.kind == SourceSpec::Kind::kCamera) return camera_error(spec, ffmpeg_error);
  if (spec.kind == SourceSpec::Kind::kScreen) return screen_error(spec, ffmpeg_error);
  if (is_local_file(spec)) {
    return {"\"" + path_of(spec) + "\" is not a video that can be read (" +
            ffmpeg_words(ffmpeg_error) + "); name a video file"};
  }
  return {"cannot open " + source_name(spec) + " (" + ffmpeg_words(ffmpeg_error) +
          "); check the address and the network"};
}

Error open_timeout_error(const SourceSpec& spec, Duration timeout) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout).count();
  return {source_name(spec) + " did not open within " + std::to_string(seconds) +
          " s; check that it is there and answers, and try again"};
}

Error no_video_error(const SourceSpec& spec) {
  return {"there is no video in " + source_name(spec) +
          ", only sound or data; name a file with pictures"};
}

Error no_decoder_error(const SourceSpec& spec, const std::string& codec) {
  return {"cannot decode " + source_name(spec) + ", which is coded as " + codec +
          "; convert it first, for example with ffmpeg"};
}

Error bad_size_error(const SourceSpec& spec, PictureSize size) {
  return {source_name(spec) + " has pictures of " + std::to_string(size.width) + "x" +
          std::to_string(size.height) +
          ", which is outside of what can be shown (16x16 to 8192x8192); scale it first, for "
          "example with ffmpeg"};
}

}  // namespace qvid::media
