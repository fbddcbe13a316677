#include "app/log/frame_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace qvid::app {

FrameLog::FrameLog(std::string path, std::FILE* file, Timestamp opened,
                   std::function<void(const std::string&)> on_trouble)
    : path_(std::move(path)), file_(file), opened_(opened), on_trouble_(std::move(on_trouble)) {}

Result<std::unique_ptr<FrameLog>> FrameLog::open(
    const std::string& path, Timestamp now, std::function<void(const std::string&)> on_trouble) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) {
    return Error{fmt::format("cannot write the frames to {}: {}", path, std::strerror(errno))};
  }
  std::fputs("frame,captured_ms,shown_ms,layer,delay_ms\n", file);
  return std::unique_ptr<FrameLog>(new FrameLog(path, file, now, std::move(on_trouble)));
}

void FrameLog::add(const media::FrameRecord& r) {
  if (!file_) return;
  if (!first_captured_) first_captured_ = r.captured;
  const std::string line = r.layer ? fmt::format("{},{:.3f},{:.3f},{},{:.3f}\n", r.number.value(),
                                                 to_ms(r.captured - *first_captured_),
                                                 to_ms(r.shown - opened_), *r.layer, to_ms(r.delay))
                                   : fmt::format("{},{:.3f},,-1,\n", r.number.value(),
                                                 to_ms(r.captured - *first_captured_));
  // Flushed, so that a player that is killed leaves what it saw.
  if (std::fputs(line.c_str(), file_.get()) >= 0 && std::fflush(file_.get()) == 0) return;
  on_trouble_(
      fmt::format("the log of frames ends: cannot write to {}: {}", path_, std::strerror(errno)));
  file_.reset();
}

}  // namespace qvid::app
