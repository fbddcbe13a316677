#include "lab/bed/program_report.h"

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

namespace qvid::lab {
namespace {

constexpr std::string_view kColumns = "frame,captured_ms,shown_ms,layer,delay_ms";
constexpr std::string_view kWatch = "qvid play qvid://";
constexpr std::string_view kPlay = "qvid play ";
constexpr std::string_view kJoin = "qvid call qvid://";
constexpr std::string_view kCall = "qvid call ";
constexpr std::string_view kLive = "/live";
constexpr int kMostLayers = 256;
constexpr int kMostLevels = 8;

// Takes the first line off `text`.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

std::optional<PlayedFrame> frame_of(std::string_view line) {
  std::array<std::string_view, 5> fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::size_t comma = line.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == fields.size())) return std::nullopt;
    fields[i] = line.substr(0, comma);
    if (comma != std::string_view::npos) line.remove_prefix(comma + 1);
  }
  const auto number = number_of<std::int64_t>(fields[0]);
  const auto due = number_of<double>(fields[1]);
  const auto layer = number_of<int>(fields[3]);
  if (!number || !due || !layer || *layer < -1 || *layer >= kMostLayers) return std::nullopt;
  PlayedFrame frame{.number = *number, .captured_ms = *due, .layer = *layer};
  if (*layer < 0) return frame;  // a lost frame's other fields say nothing
  frame.shown_ms = number_of<double>(fields[2]);
  const auto delay = number_of<double>(fields[4]);
  if (!frame.shown_ms || !delay) return std::nullopt;
  frame.delay_ms = *delay;
  return frame;
}

void collect(const nlohmann::json& json, const std::string& path, int level,
             ReportNumbers& numbers) {
  if (json.is_number()) {
    numbers[path] = json.get<double>();
  } else if (json.is_boolean()) {
    numbers[path] = json.get<bool>() ? 1 : 0;
  } else if (json.is_array() && level < kMostLevels) {
    for (std::size_t i = 0; i < json.size(); ++i) {
      collect(json[i], path + "." + std::to_string(i), level + 1, numbers);
    }
  } else if (json.is_object() && level < kMostLevels) {
    for (const auto& [name, value] : json.items()) {
      collect(value, path.empty() ? name : path + "." + name, level + 1, numbers);
    }
  }
}

// What follows `command` where the text has `line`, which begins with it.
std::string url_after(std::string_view log, std::string_view line, std::string_view command) {
  const std::size_t found = log.find(line);
  if (found == std::string_view::npos) return {};
  log.remove_prefix(found + command.size());
  const std::size_t end = log.find_first_of(" \r\n");
  if (log.find('\n') == std::string_view::npos) return {};
  return std::string(log.substr(0, end));
}

}  // namespace

Result<FrameTable> parse_frames(std::string_view csv) {
  if (next_line(csv) != kColumns) {
    return Error{"a table of frames begins with the line '" + std::string(kColumns) + "'"};
  }
  FrameTable table;
  while (!csv.empty()) {
    const std::string_view line = next_line(csv);
    const auto frame = frame_of(line);
    if (frame && table.frames.size() < kMostPlayedFrames) {
      table.frames.push_back(*frame);
    } else {
      ++table.left_out;
    }
  }
  return table;
}

Result<ReportNumbers> parse_report(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return Error{"a report is one JSON object, and this is none"};
  ReportNumbers numbers;
  collect(json, "", 0, numbers);
  return numbers;
}

std::string watch_url(std::string_view log) { return url_after(log, kWatch, kPlay); }

std::string room_url(std::string_view log) { return url_after(log, kJoin, kCall); }

std::string url_of_video(std::string_view url, std::string_view video) {
  const std::size_t key = url.find('#');
  std::string_view path = url.substr(0, key);
  if (path.ends_with(kLive)) path.remove_suffix(kLive.size());
  std::string result = std::string(path) + "/" + std::string(video);
  if (key != std::string_view::npos) result += url.substr(key);
  return result;
}

double cpu_ticks(std::string_view stat) {
  // The name, in brackets, may hold anything; the state follows it, and utime is 11 fields on.
  const std::size_t bracket = stat.rfind(')');
  if (bracket == std::string_view::npos) return 0;
  std::istringstream fields{std::string(stat.substr(bracket + 1))};
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  return fields >> user >> system ? user + system : 0;
}

}  // namespace qvid::lab
