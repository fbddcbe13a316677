// A line for every frame of a live video, for `--frames`: what the lab draws its pictures from.
//
//   frame,captured_ms,shown_ms,layer,delay_ms
//
// captured_ms: on the server's clock, from the first frame of the log; shown_ms: from the log's opening;
// layer: the highest shown, -1 and no shown_ms where the frame was lost. Lost frames may stand
// before earlier ones that were still to be shown.
//
// Thread: one at a time. A disk that is full ends the log, and it is said once.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "media/playout/playback_engine.h"

namespace qvid::app {

class FrameLog {
 public:
  static Result<std::unique_ptr<FrameLog>> open(const std::string& path, Timestamp now,
                                                std::function<void(const std::string&)> on_trouble);
  void add(const media::FrameRecord& record);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  FrameLog(std::string path, std::FILE* file, Timestamp opened,
           std::function<void(const std::string&)> on_trouble);

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  Timestamp opened_;
  std::function<void(const std::string&)> on_trouble_;
  std::optional<Timestamp> first_captured_;
};

}  // namespace qvid::app
