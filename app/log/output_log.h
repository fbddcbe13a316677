// What came out of this program and when, as CSV for measurements: `--output-log`.
//
//   time_us,kind,who,value
//   81200000,spoken,,-15.0    captured here, for kLevelFrames from then on: as `sound`
//   81234567,picture,Ann,128.4  presented: the renderer had taken the window's drawing with it;
//                             without a window, when it was to be shown. The mean luma, 0..255, of
//                             every kRowStep-th row. A picture that a newer one replaced before it
//                             was drawn has no line
//   81237500,sound,,-15.0     heard, for kLevelFrames from then on: RMS of all channels in dBFS (a
//                             full-scale sine has -3.0); only what is above kQuiet
//   81240000,alive,,48000     once a second of what is heard, loud or not: its frames up to here
//   81240000,jump,,12.500     what follows is heard so many ms later than on from what came before
//
// time_us is this machine's steady clock, the same in all of its programs. Lines are in the order
// of their coming, not of their times: sound is written some ms before it is heard. In `who` a
// comma or a quotation mark is '_'.
//
// Queue: lines that wait for flush(), Limits::waiting of them; what comes beyond is dropped, which is
// told once. The file ends at Limits::file bytes, or where it cannot be written; told once too.
// Thread: flush and the destructor, which make text and write it to the disk, one at a time: the
// network thread's, every few turns; the rest any, and takes little of it: what is measured is the
// program as it is without a log.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/video_frame.h"

namespace qvid::app {

class OutputLog {
 public:
  static constexpr int kRowStep = 16;
  static constexpr std::size_t kLevelFrames = 120;  // 2.5 ms
  static constexpr double kQuiet = -50;             // dBFS

  struct Limits {
    std::size_t file = 64 << 20;
    std::size_t waiting = 1 << 14;
  };
  using OnTrouble = std::function<void(const std::string&)>;

  static Result<std::shared_ptr<OutputLog>> open(const std::string& path, OnTrouble on_trouble,
                                                 Limits limits);
  static Result<std::shared_ptr<OutputLog>> open(const std::string& path, OnTrouble on_trouble) {
    return open(path, std::move(on_trouble), Limits());
  }
  ~OutputLog();
  OutputLog(const OutputLog&) = delete;
  OutputLog& operator=(const OutputLog&) = delete;

  void picture(Timestamp shown, std::string_view who, const media::VideoFrame& frame);
  // `kind`: of static life.
  void add(Timestamp time, const char* kind, std::string_view who, double value);
  void flush();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct Line {
    Timestamp time;
    const char* kind;
    std::string who;
    double value;
  };
  static void append(const Line& line, std::string& text);
  OutputLog(std::string path, std::FILE* file, OnTrouble on_trouble, Limits limits);
  void end(const std::string& why);

  const std::string path_;
  const OnTrouble on_trouble_;
  const Limits limits_;
  std::unique_ptr<std::FILE, Close> file_;  // empty: it has ended
  std::size_t written_ = 0;

  std::mutex mutex_;  // guards all below
  std::vector<Line> waiting_;
  std::int64_t dropped_ = 0;
  bool told_dropped_ = false;
  bool ended_ = false;
};

// Of every kRowStep-th row; 0 of a picture without any.
double mean_luma(const media::VideoFrame& frame);

}  // namespace qvid::app
