#include "app/mon/mon_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "app/mon/mon_table.h"
#include "base/text.h"

namespace qvid::app {
namespace {

using paceline::Signal;
using paceline::SignalSample;

// Pixels.
constexpr int kWidth = 1400;
constexpr int kPanelHeight = 120;
constexpr int kPanelGap = 34;  // with the panel's legend
constexpr int kTop = 62;       // title and legend of the marks
constexpr int kBottom = 48;    // times
constexpr int kLeft = 78;
constexpr int kRight = 24;
constexpr int kMarkWidth = 140;  // of a mark in the legend

constexpr Duration kRateSpan = std::chrono::milliseconds(500);

constexpr std::string_view kBlue = "#1F66BF";
constexpr std::string_view kOrange = "#E6780D";
constexpr std::string_view kGreen = "#2E9440";
constexpr std::string_view kGrey = "#73737A";
constexpr std::string_view kInk = "#26262B";
constexpr std::string_view kInterrupted = "#FFDBDB";

struct Series {
  std::string_view label;
  Signal signal;
  Measure measure;
  double factor;  // from the signal's unit to the panel's
  std::string_view colour;
};
struct Panel {
  std::string_view title;
  std::string_view unit;
  std::vector<Series> series;
};

std::vector<Panel> panels() {
  constexpr auto kMs = Measure::kMilliseconds;
  constexpr auto kRate = Measure::kByteRate;
  constexpr double kKilobit = 8e-3;
  constexpr double kKilobyte = 1e-3;
  return {
      {"Round trip",
       "ms",
       {{"smoothed", Signal::kRtt, kMs, 1, kBlue},
        {"lowest", Signal::kRttLow, kMs, 1, kGreen},
        {"base", Signal::kBaseRtt, kMs, 1, kGrey}}},
      {"Age of the oldest unacknowledged byte",
       "ms",
       {{"", Signal::kOldestUnacked, kMs, 1, kBlue}}},
      {"Rates",
       "kbit/s",
       {{"sent", Signal::kSent, kRate, kKilobit, kBlue},
        {"acknowledged", Signal::kAcked, kRate, kKilobit, kGreen},
        {"received", Signal::kReceived, kRate, kKilobit, kOrange},
        {"bandwidth, as estimated", Signal::kBandwidth, Measure::kBitRate, 1, kGrey}}},
      {"Outstanding",
       "kB",
       {{"unacknowledged", Signal::kUnacked, Measure::kBytes, kKilobyte, kBlue},
        {"window", Signal::kWindow, Measure::kBytes, kKilobyte, kGrey}}},
      {"Queued", "kB", {{"", Signal::kQueued, Measure::kBytes, kKilobyte, kBlue}}},
      {"Messages",
       "a second",
       {{"delivered", Signal::kDelivered, Measure::kCountRate, 1, kGreen},
        {"cancelled", Signal::kCancelled, Measure::kCountRate, 1, kOrange}}},
      {"Pressure", "0 to 1", {{"", Signal::kPressure, Measure::kNumber, 1, kBlue}}},
      {"Sockets", "", {{"", Signal::kChannels, Measure::kNumber, 1, kBlue}}},
  };
}

// A line where a counter has grown.
struct Mark {
  std::string_view label;
  Signal counter;
  std::string_view colour;
};
constexpr std::array<Mark, 3> kMarks = {{{"failover", Signal::kFailovers, "#CC1A1F"},
                                         {"peer's failover", Signal::kPeerFailovers, "#9E40B3"},
                                         {"resumption", Signal::kResumptions, "#0D8C99"}}};

// One value a sample; NaN where it is without bound.
std::vector<double> values_of(const Samples& samples, const Series& series) {
  std::vector<double> values;
  values.reserve(samples.size());
  std::size_t before = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    double value = samples[i][series.signal];
    if (is_rate(series.measure)) {
      while (before + 1 < i && samples[before + 1].time <= samples[i].time - kRateSpan) ++before;
      const double seconds = to_seconds(samples[i].time - samples[before].time);
      value = seconds > 0 ? std::max(0.0, value - samples[before][series.signal]) / seconds : 0;
    } else if (series.measure == Measure::kBytes && value >= kUnlimited) {
      value = std::numeric_limits<double>::quiet_NaN();
    }
    values.push_back(value * series.factor);
  }
  return values;
}

// A panel of which something is known.
struct Filled {
  Panel panel;
  std::vector<std::vector<double>> values;  // of each series
  double top = 0;
};
std::vector<Filled> filled_panels(const Samples& samples) {
  std::vector<Filled> shown;
  for (Panel& panel : panels()) {
    Filled filled{std::move(panel), {}, 0};
    for (const Series& series : filled.panel.series) {
      filled.values.push_back(values_of(samples, series));
      for (const double value : filled.values.back()) {
        if (!std::isnan(value)) filled.top = std::max(filled.top, value);
      }
    }
    if (filled.top > 1e-6) shown.push_back(std::move(filled));
  }
  return shown;
}

// Between single quotes gnuplot reads everything as it stands, but for the quote itself.
std::string literal(std::string_view text) {
  std::string result = "'";
  for (const char c : printable(std::string(text))) {
    if (c == '\'' || c == '`') {
      result += "\u2019";
    } else {
      result += c;
    }
  }
  return result + "'";
}

// Pixels from the left and from above.
std::string label(int x, int y, std::string_view text, std::string_view colour,
                  std::string_view font = ",10") {
  return fmt::format(
      "set label {} at screen {:.5f}, screen 1 - {} / H left font '{}' textcolor rgb '{}'\n",
      literal(text), static_cast<double>(x) / kWidth, fmt::format("{}.0", y), font, colour);
}

std::string seconds_text(Duration time) { return fmt::format("{:.3f}", to_seconds(time)); }

// The times at which there was something to mark, for all panels.
std::string events_text(const Samples& samples) {
  std::string text = "$interrupted << END_OF_DATA\n";
  for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
    const std::size_t first = i;
    while (i + 1 < samples.size() && samples[i][Signal::kInterrupted] != 0) ++i;
    if (i == first) continue;
    text += seconds_text(samples[first].time) + " " + seconds_text(samples[i].time) + "\n";
  }
  // A block without a line would be an error.
  text += "NaN NaN\nEND_OF_DATA\n";
  for (std::size_t m = 0; m < kMarks.size(); ++m) {
    text += fmt::format("$mark_{} << END_OF_DATA\n", m);
    for (std::size_t i = 1; i < samples.size(); ++i) {
      if (samples[i][kMarks[m].counter] <= samples[i - 1][kMarks[m].counter]) continue;
      text += seconds_text(samples[i].time) + "\n";
    }
    text += "NaN\nEND_OF_DATA\n";
  }
  return text;
}

std::string heading_text(const std::string& title, int height) {
  std::string text = label(kLeft, 20, title, kInk, ",13");
  int x = kLeft;
  for (const Mark& mark : kMarks) {
    text += label(x, 46, "\u25ac", mark.colour) + label(x + 22, 46, mark.label, kInk);
    x += kMarkWidth;
  }
  text += label(x, 46, "\u25a0", kInterrupted) + label(x + 22, 46, "no socket", kInk);
  text += label(kLeft, height - 12, "seconds since the log began", kGrey);
  return text + "unset border\nunset tics\nset yrange [0:1]\nplot NaN notitle\nunset label\n";
}

std::string panel_text(const Samples& samples, const Filled& filled, int number, int y,
                       bool is_last) {
  std::string text = fmt::format("\n$panel_{} << END_OF_DATA\n", number);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    text += seconds_text(samples[i].time);
    for (const auto& values : filled.values) text += fmt::format(" {:.6g}", values[i]);
    text += "\n";
  }
  const std::vector<double> marks = axis_marks(filled.top, 4);
  text += fmt::format(
      "END_OF_DATA\nset tmargin at screen 1 - {}.0 / H\nset bmargin at screen 1 - {}.0 / H\n"
      "set yrange [0:{}]\nset ytics nomirror 0, {}\nset format x '{}'\n",
      y, y + kPanelHeight, marks.back(), marks.front(), is_last ? "%g" : "");
  const std::string unit = filled.panel.unit.empty() ? "" : fmt::format(" [{}]", filled.panel.unit);
  text += label(kLeft, y - 12, fmt::format("{}{}", filled.panel.title, unit), kInk, "Sans Bold,10");
  text += fmt::format("set key at graph 1, screen 1 - {}.0 / H\n", y - 12);
  text += fmt::format(
      "plot $interrupted using 1:(0):1:2:(0):({}) with boxxyerror fillstyle solid noborder "
      "linecolor rgb '{}' notitle",
      marks.back(), kInterrupted);
  for (std::size_t m = 0; m < kMarks.size(); ++m) {
    text += fmt::format(
        ", \\\n     $mark_{} using 1:({}) with impulses linewidth 1.5 linecolor rgb '{}' notitle",
        m, marks.back(), kMarks[m].colour);
  }
  constexpr std::string_view kLook = "with lines linewidth 1.5 linecolor rgb";
  for (const Series& series : filled.panel.series) {
    if (series.label.empty()) continue;
    text += fmt::format(", \\\n     keyentry {} '{}' title {}", kLook, series.colour,
                        literal(series.label));
  }
  // The first series last, over the others.
  for (std::size_t i = filled.panel.series.size(); i > 0; --i) {
    text += fmt::format(", \\\n     $panel_{} using 1:{} {} '{}' notitle", number, i + 1, kLook,
                        filled.panel.series[i - 1].colour);
  }
  return text + "\nunset label\n";
}

}  // namespace

std::vector<double> axis_marks(double top, int most) {
  const double rough = top / most;
  double step = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double round : {1.0, 2.0, 5.0, 10.0}) {
    if (step * round >= rough * (1 - 1e-9)) {
      step *= round;
      break;
    }
  }
  std::vector<double> marks;
  for (int i = 1; marks.empty() || marks.back() < top * (1 - 1e-9); ++i) marks.push_back(step * i);
  return marks;
}

std::string plot_script(const Samples& samples, const std::string& title) {
  const std::vector<Filled> shown = filled_panels(samples);
  const int height = kTop + static_cast<int>(shown.size()) * (kPanelHeight + kPanelGap) + kBottom;
  const double from = to_seconds(samples.front().time);
  const double to = std::max(to_seconds(samples.back().time), from + 1e-3);
  std::string text = fmt::format(
      "H = {}.0\n"
      "set terminal pngcairo noenhanced size {},{} background rgb 'white' font 'Sans,10'\n"
      "set encoding utf8\n"
      "set multiplot\n"
      "set lmargin at screen {:.5f}\n"
      "set rmargin at screen {:.5f}\n"
      "set xrange [{:.3f}:{:.3f}]\n",
      height, kWidth, height, static_cast<double>(kLeft) / kWidth,
      1 - static_cast<double>(kRight) / kWidth, from, to);
  text += events_text(samples) + heading_text(title, height);
  text += fmt::format(
      "set border 3 linecolor rgb '{}'\n"
      "set tics out scale 0.6 textcolor rgb '{}'\n"
      "set xtics nomirror autofreq\n"
      "set grid linetype 1 linewidth 0.6 linecolor rgb '#E6E6E8' back\n"
      "set key right center horizontal Left reverse samplen 1.5 textcolor rgb '{}'\n",
      kInk, kInk, kInk);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const int number = static_cast<int>(i);
    text +=
        panel_text(samples, shown[i], number,
                   kTop + kPanelGap + number * (kPanelHeight + kPanelGap), i + 1 == shown.size());
  }
  return text + "\nunset multiplot\n";
}

}  // namespace qvid::app
