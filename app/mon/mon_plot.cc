#include "app/mon/mon_plot.h"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
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
constexpr double kFont = 13;

constexpr Duration kRateSpan = std::chrono::milliseconds(500);

struct Colour {
  double red, green, blue;
};
constexpr Colour kBlue{0.12, 0.40, 0.75};
constexpr Colour kOrange{0.90, 0.47, 0.05};
constexpr Colour kGreen{0.18, 0.58, 0.25};
constexpr Colour kGrey{0.45, 0.45, 0.48};
constexpr Colour kInk{0.15, 0.15, 0.17};
constexpr Colour kFailover{0.80, 0.10, 0.12};
constexpr Colour kPeerFailover{0.62, 0.25, 0.70};
constexpr Colour kResumption{0.05, 0.55, 0.60};
constexpr Colour kInterrupted{1.0, 0.86, 0.86};

struct Series {
  std::string_view label;
  Signal signal;
  Measure measure;
  double factor;  // from the signal's unit to the panel's
  Colour colour;
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

struct Mark {
  std::string_view label;
  Signal counter;
  Colour colour;
};
constexpr std::array<Mark, 3> kMarks = {{{"failover", Signal::kFailovers, kFailover},
                                         {"peer's failover", Signal::kPeerFailovers, kPeerFailover},
                                         {"resumption", Signal::kResumptions, kResumption}}};

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

std::string number_text(double value) {
  return value >= 10'000 ? fmt::format("{:.0f}k", value / 1000) : fmt::format("{:.4g}", value);
}

class Drawing {
 public:
  Drawing(const Samples& samples, int height)
      : samples_(samples),
        height_(height),
        surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, kWidth, height),
                 cairo_surface_destroy),
        cairo_(cairo_create(surface_.get()), cairo_destroy),
        from_(to_seconds(samples.front().time)),
        span_(std::max(to_seconds(samples.back().time) - from_, 1e-3)) {
    colour({1, 1, 1});
    cairo_paint(cr());
    cairo_select_font_face(cr(), "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  }

  void heading(const std::string& title) {
    text(kLeft, 26, title, kInk, kFont + 4);
    double x = kLeft;
    for (const Mark& mark : kMarks) x = legend(x, 48, mark.label, mark.colour);
    colour(kInterrupted);
    cairo_rectangle(cr(), x, 48 - 10, 18, 12);
    cairo_fill(cr());
    text(x + 24, 48, "no socket", kInk);
  }

  void panel(const Panel& panel, const std::vector<std::vector<double>>& values, double top,
             int y) {
    const double bottom = y + kPanelHeight;
    interruptions(y);
    double x = text(kLeft, y - 8, std::string(panel.title), kInk, kFont, true);
    if (!panel.unit.empty()) x = text(x + 6, y - 8, "[" + std::string(panel.unit) + "]", kGrey);
    x += 24;
    for (const Series& series : panel.series) {
      if (!series.label.empty()) x = legend(x, y - 8, series.label, series.colour);
    }
    const std::vector<double> marks = axis_marks(top, 4);
    for (const double mark : marks) {
      const double at = bottom - mark / marks.back() * kPanelHeight;
      line(kLeft, at, kWidth - kRight, at, {0.90, 0.90, 0.91}, 1);
      text_before(kLeft - 8, at + 4, number_text(mark));
    }
    text_before(kLeft - 8, bottom + 4, "0");
    times(y, bottom, false);
    for (const Mark& mark : kMarks) events(mark, y);
    cairo_save(cr());
    cairo_rectangle(cr(), kLeft, y - 1, kWidth - kLeft - kRight, kPanelHeight + 2);
    cairo_clip(cr());
    for (std::size_t i = panel.series.size(); i > 0; --i) {
      curve(values[i - 1], marks.back(), bottom, panel.series[i - 1].colour);
    }
    cairo_restore(cr());
    line(kLeft, bottom, kWidth - kRight, bottom, kInk, 1);
    line(kLeft, y, kLeft, bottom, kInk, 1);
  }

  void axis(int bottom) {
    times(bottom, bottom, true);
    text(kLeft, height_ - 10, "seconds since the log began", kGrey);
  }

  Result<std::monostate> save(const std::filesystem::path& path) {
    const cairo_status_t status = cairo_surface_write_to_png(surface_.get(), path.c_str());
    if (status == CAIRO_STATUS_SUCCESS) return std::monostate{};
    return Error{fmt::format("cannot write '{}': {}", printable(path.string()),
                             cairo_status_to_string(status))};
  }

 private:
  cairo_t* cr() { return cairo_.get(); }
  void colour(const Colour& c) { cairo_set_source_rgb(cr(), c.red, c.green, c.blue); }
  double x_of(double seconds) const {
    return kLeft + (seconds - from_) / span_ * (kWidth - kLeft - kRight);
  }

  void line(double x0, double y0, double x1, double y1, const Colour& c, double width) {
    colour(c);
    cairo_set_line_width(cr(), width);
    cairo_move_to(cr(), std::floor(x0) + 0.5, std::floor(y0) + 0.5);
    cairo_line_to(cr(), std::floor(x1) + 0.5, std::floor(y1) + 0.5);
    cairo_stroke(cr());
  }
  // Returns where it ends.
  double text(double x, double y, const std::string& what, const Colour& c, double size = kFont,
              bool bold = false) {
    cairo_select_font_face(cr(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr(), size);
    cairo_text_extents_t extents;
    cairo_text_extents(cr(), what.c_str(), &extents);
    colour(c);
    cairo_move_to(cr(), x, y);
    cairo_show_text(cr(), what.c_str());
    return x + extents.x_advance;
  }
  void text_before(double x, double y, const std::string& what) {
    cairo_set_font_size(cr(), kFont);
    cairo_text_extents_t extents;
    cairo_text_extents(cr(), what.c_str(), &extents);
    text(x - extents.x_advance, y, what, kInk);
  }
  double legend(double x, double y, std::string_view label, const Colour& c) {
    line(x, y - 4, x + 18, y - 4, c, 2.5);
    return text(x + 24, y, std::string(label), kInk) + 20;
  }

  void times(double top, double bottom, bool labels) {
    const double step = axis_marks(span_, 12).front();
    for (double t = std::ceil(from_ / step) * step; t <= from_ + span_ + step * 1e-6; t += step) {
      if (!labels) {
        line(x_of(t), top, x_of(t), bottom, {0.93, 0.93, 0.94}, 1);
        continue;
      }
      line(x_of(t), bottom, x_of(t), bottom + 5, kInk, 1);
      const std::string label = fmt::format("{:.6g}", t);
      cairo_set_font_size(cr(), kFont);
      cairo_text_extents_t extents;
      cairo_text_extents(cr(), label.c_str(), &extents);
      text(x_of(t) - extents.x_advance / 2, bottom + 19, label, kInk);
    }
  }

  void interruptions(int y) {
    for (std::size_t i = 0; i + 1 < samples_.size(); ++i) {
      const std::size_t first = i;
      while (i + 1 < samples_.size() && samples_[i][Signal::kInterrupted] != 0) ++i;
      if (i == first) continue;
      const double from = x_of(to_seconds(samples_[first].time));
      colour(kInterrupted);
      cairo_rectangle(cr(), from, y, x_of(to_seconds(samples_[i].time)) - from, kPanelHeight);
      cairo_fill(cr());
    }
  }
  void events(const Mark& mark, int y) {
    for (std::size_t i = 1; i < samples_.size(); ++i) {
      if (samples_[i][mark.counter] <= samples_[i - 1][mark.counter]) continue;
      const double x = x_of(to_seconds(samples_[i].time));
      line(x, y, x, y + kPanelHeight, mark.colour, 1.5);
    }
  }

  // Of the samples that share a column of pixels, the lowest and the highest.
  void curve(const std::vector<double>& values, double top, double bottom, const Colour& c) {
    colour(c);
    cairo_set_line_width(cr(), 1.5);
    cairo_set_line_join(cr(), CAIRO_LINE_JOIN_ROUND);
    const auto y_of = [&](double value) { return bottom - value / top * kPanelHeight; };
    bool drawing = false;
    for (std::size_t i = 0; i < values.size();) {
      const double x = x_of(to_seconds(samples_[i].time));
      double low = std::numeric_limits<double>::infinity();
      double high = -low;
      double last = std::numeric_limits<double>::quiet_NaN();
      for (; i < values.size() && x_of(to_seconds(samples_[i].time)) < x + 1; ++i) {
        last = values[i];
        if (std::isnan(last)) continue;
        low = std::min(low, last);
        high = std::max(high, last);
      }
      if (low > high) {
        drawing = false;
        continue;
      }
      if (!drawing) cairo_move_to(cr(), x, y_of(low));
      drawing = true;
      cairo_line_to(cr(), x, y_of(low));
      cairo_line_to(cr(), x, y_of(high));
      if (!std::isnan(last)) cairo_line_to(cr(), x, y_of(last));
    }
    cairo_stroke(cr());
  }

  const Samples& samples_;
  const int height_;
  std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface_;
  std::unique_ptr<cairo_t, void (*)(cairo_t*)> cairo_;
  const double from_;  // seconds
  const double span_;
};

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

Result<std::monostate> plot_signals(const Samples& samples, const std::string& title,
                                    const std::filesystem::path& path) {
  struct Filled {
    Panel panel;
    std::vector<std::vector<double>> values;
    double top = 0;
  };
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
  const int height = kTop + static_cast<int>(shown.size()) * (kPanelHeight + kPanelGap) + kBottom;
  Drawing drawing(samples, height);
  drawing.heading(printable(title));
  int y = kTop + kPanelGap;
  for (const Filled& filled : shown) {
    drawing.panel(filled.panel, filled.values, filled.top, y);
    y += kPanelHeight + kPanelGap;
  }
  drawing.axis(y - kPanelGap);
  return drawing.save(path);
}

}  // namespace qvid::app
