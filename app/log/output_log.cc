#include "app/log/output_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/text.h"

namespace qvid::app {
namespace {

constexpr const char* kOutputColumns = "time_us,kind,who,value\n";

std::string field_of(std::string_view who) {
  std::string text = printable(std::string(who));
  for (char& c : text) {
    if (c == ',' || c == '"') c = '_';
  }
  return text;
}

}  // namespace

double mean_luma(const media::VideoFrame& frame) {
  std::uint64_t sum = 0;
  std::uint64_t count = 0;
  for (int row = 0; row < frame.size.height; row += OutputLog::kRowStep) {
    const std::uint8_t* data = frame.planes[0].data + std::ptrdiff_t{frame.planes[0].stride} * row;
    sum += std::accumulate(data, data + frame.size.width, std::uint32_t{0});
    count += static_cast<std::uint64_t>(frame.size.width);
  }
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

OutputLog::OutputLog(std::string path, std::FILE* file, OnTrouble on_trouble, Limits limits)
    : path_(std::move(path)), on_trouble_(std::move(on_trouble)), limits_(limits), file_(file) {}

Result<std::shared_ptr<OutputLog>> OutputLog::open(const std::string& path, OnTrouble on_trouble,
                                                   Limits limits) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) {
    return Error{
        fmt::format("cannot write what is shown and heard to {}: {}", path, std::strerror(errno))};
  }
  return std::shared_ptr<OutputLog>(new OutputLog(path, file, std::move(on_trouble), limits));
}

OutputLog::~OutputLog() { flush(); }

void OutputLog::picture(Timestamp shown, std::string_view who, const media::VideoFrame& frame) {
  add(shown, "picture", who, mean_luma(frame));
}

void OutputLog::add(Timestamp time, const char* kind, std::string_view who, double value) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  if (waiting_.size() >= limits_.waiting) {
    ++dropped_;
    return;
  }
  waiting_.push_back({time, kind, std::string(who), value});
}

void OutputLog::append(const Line& line, std::string& text) {
  const std::string_view kind = line.kind;
  const int decimals = kind == "alive" ? 0 : kind == "jump" ? 3 : 1;
  fmt::format_to(
      std::back_inserter(text), "{},{},{},{:.{}f}\n",
      std::chrono::round<std::chrono::microseconds>(line.time.time_since_epoch()).count(), kind,
      field_of(line.who), line.value, decimals);
}

void OutputLog::flush() {
  std::vector<Line> lines;
  bool tell_dropped = false;
  {
    const std::lock_guard lock(mutex_);
    lines.swap(waiting_);
    waiting_.reserve(lines.size());
    tell_dropped = dropped_ > 0 && !std::exchange(told_dropped_, true);
  }
  if (!file_) return;
  if (tell_dropped) {
    on_trouble_(fmt::format("the output log {} lacks lines: it is not written as fast as they come",
                            path_));
  }
  std::string text = written_ == 0 ? kOutputColumns : "";
  for (const Line& line : lines) append(line, text);
  if (text.empty()) return;
  if (written_ + text.size() > limits_.file) {
    return end(fmt::format("it has {} bytes", written_));
  }
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
      std::fflush(file_.get()) != 0) {
    return end(std::strerror(errno));
  }
  written_ += text.size();
}

void OutputLog::end(const std::string& why) {
  on_trouble_(fmt::format("the output log {} ends here: {}", path_, why));
  file_.reset();
  const std::lock_guard lock(mutex_);
  ended_ = true;
  waiting_.clear();
}

}  // namespace qvid::app
