#include "lab/bed/output_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace qvid::lab {
namespace {

constexpr std::string_view kOutputHead = "time_us,kind,who,value";

template <class Number>
bool whole(std::string_view text, Number& value) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc{} && parsed.ptr == end;
}

// False: it is no line of the table.
bool take_line(std::string_view line, OutputTable& table) {
  std::array<std::string_view, 4> fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::size_t comma = line.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == fields.size())) return false;
    fields[i] = line.substr(0, comma);
    if (comma != std::string_view::npos) line.remove_prefix(comma + 1);
  }
  std::int64_t us = 0;
  double value = 0;
  if (!whole(fields[0], us) || !whole(fields[3], value) || !std::isfinite(value)) return false;
  const OutputValue got{.at = static_cast<double>(us) / 1e6, .value = value};
  const std::string_view kind = fields[1];
  std::vector<OutputValue>* of = kind == "picture"  ? &table.pictures
                                 : kind == "sound"  ? &table.heard
                                 : kind == "spoken" ? &table.spoken
                                 : kind == "alive"  ? &table.alive
                                 : kind == "jump"   ? &table.jumps
                                                    : nullptr;
  if (of == nullptr) return false;
  of->push_back(got);
  return true;
}

}  // namespace

Result<OutputTable> parse_output(std::string_view csv) {
  OutputTable table;
  std::size_t taken = 0;
  bool head = true;
  while (!csv.empty() || head) {
    const std::size_t end = csv.find('\n');
    const std::string_view line = csv.substr(0, end);
    csv = end == std::string_view::npos ? std::string_view() : csv.substr(end + 1);
    if (head) {
      if (line != kOutputHead) {
        return Error{"an output log begins with the line '" + std::string(kOutputHead) + "'"};
      }
      head = false;
    } else if (end != std::string_view::npos && taken < kMostOutputLines &&
               take_line(line, table)) {
      ++taken;
    } else {
      ++table.left_out;  // a number without its end may be another one
    }
  }
  // Lines come in the order of their writing: a picture's may stand before sound of earlier times.
  const auto by_time = [](const OutputValue& a, const OutputValue& b) { return a.at < b.at; };
  for (auto* values : {&table.pictures, &table.heard, &table.spoken, &table.alive, &table.jumps}) {
    std::stable_sort(values->begin(), values->end(), by_time);
  }
  return table;
}

}  // namespace qvid::lab
