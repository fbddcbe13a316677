// What the product's programs write, read: the frames of `qvid play --frames` and the reports of
// `--json`.
//
//   frame,captured_ms,shown_ms,layer,delay_ms       lost: layer -1, shown_ms empty
//   17,566.667,612.4,1,187.2
//
// Pure. Any bytes will do: lines that are no frames are left out and counted, as is the last one of
// a program that was killed while it wrote.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/bed/run_result.h"

namespace qvid::lab {

// An hour at 60 a second. What comes after is left out and counted.
inline constexpr std::size_t kMostPlayedFrames = 216'000;

struct FrameTable {
  std::vector<PlayedFrame> frames{};  // in the order of the lines
  std::size_t left_out = 0;           // lines
};
// Error: the first line does not name these columns.
Result<FrameTable> parse_frames(std::string_view csv);

// Error: `text` is not one JSON object. Numbers more than 8 levels down are left out.
Result<ReportNumbers> parse_report(std::string_view text);

// Where the server can be watched, out of the line with which it says so; empty: not in the text.
// A whole line only: a URL that is still being written is none.
std::string watch_url(std::string_view log);
// The same server's, for another video: its path in place of `live`, the key stays.
std::string url_of_video(std::string_view url, std::string_view video);

// The URL to join a broker's rooms with, out of the line with which it says so; empty as above.
std::string room_url(std::string_view log);

// User and system time of a process in clock ticks, out of its /proc/PID/stat; 0: it is none.
double cpu_ticks(std::string_view stat);

}  // namespace qvid::lab
