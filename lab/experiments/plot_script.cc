#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "lab/experiments/plot.h"

namespace qvid::lab {
namespace {

constexpr std::size_t kPanelWidth = 480;  // px
constexpr std::size_t kSingleWidth = 560;
constexpr std::size_t kHeight = 400;
constexpr std::size_t kTitleHeight = 24;
constexpr std::size_t kKeyRowHeight = 18;
constexpr std::size_t kKeyColumns = 2;
constexpr std::size_t kWideName = 26;    // characters; a legend with wider ones has one column
constexpr std::size_t kLevelNames = 42;  // characters that there is room for side by side
constexpr double kBarsWidth = 0.8;       // of the bars of one name together

// Okabe and Ito's, told apart by the colour-blind as well; black and yellow left out.
constexpr std::array<unsigned, 7> kColours = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7,
                                              0xE69F00, 0x56B4E9, 0x7F5AA6};

// Between single quotes gnuplot reads everything as it stands, but for the quote itself.
std::string literal(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '`') {
      result += "\u2019";
    } else {
      result += byte < 0x20 || byte == 0x7f ? ' ' : c;
    }
  }
  return result + "'";
}

// A label at a tic is a format as well.
std::string label_literal(std::string_view text) {
  std::string doubled;
  for (const char c : text) doubled.append(c == '%' ? 2 : 1, c);
  return literal(doubled);
}

// Half way to grey.
unsigned greyer(unsigned colour) {
  unsigned result = 0;
  for (const int shift : {16, 8, 0}) {
    result |= (((colour >> shift) & 0xff) * 6 / 10 + 0x99 * 4 / 10) << shift;
  }
  return result;
}

struct Drawn {
  const Series* series = nullptr;
  std::vector<std::pair<double, double>> points;  // those that the axes can show
  unsigned colour = 0;
  bool again = false;   // another name has the colour, too
  std::size_t bar = 0;  // of the panel's bars
};

struct Look {
  unsigned colour = 0;
  bool again = false;
};
using LookOf = std::map<std::string, Look, std::less<>>;

// One name, one colour, in all panels; where there are more names than colours, dots as well.
LookOf looks_of(const Plot& plot) {
  LookOf looks;
  for (const bool paper : {false, true}) {
    for (const Panel& panel : plot.panels) {
      for (const Series& s : panel.series) {
        if (s.paper == paper && !s.points.empty()) {
          looks.try_emplace(s.name, Look{.colour = kColours[looks.size() % kColours.size()],
                                         .again = looks.size() >= kColours.size()});
        }
      }
    }
  }
  return looks;
}

std::vector<Drawn> drawn_of(const Panel& panel, const LookOf& looks) {
  std::vector<Drawn> all;
  std::size_t bars = 0;
  for (const Series& s : panel.series) {
    Drawn drawn;
    drawn.series = &s;
    for (const auto& [x, y] : s.points) {
      const bool x_shows = std::isfinite(x) && (!panel.log_x || x > 0);
      const bool y_shows = std::isfinite(y) && (!panel.log_y || y > 0);
      if (x_shows && y_shows) drawn.points.emplace_back(x, y);
    }
    if (drawn.points.empty()) continue;
    const Look& look = looks.find(s.name)->second;
    drawn.colour = s.paper ? greyer(look.colour) : look.colour;
    drawn.again = look.again;
    if (s.style == Series::Style::kBars) drawn.bar = bars++;
    all.push_back(std::move(drawn));
  }
  return all;
}

std::size_t bars_in(const std::vector<Drawn>& drawn) {
  return static_cast<std::size_t>(std::count_if(drawn.begin(), drawn.end(), [](const Drawn& d) {
    return d.series->style == Series::Style::kBars;
  }));
}

std::string legend_of(const Series& s) { return s.paper ? "paper: " + s.name : s.name; }

std::size_t key_columns(const std::vector<Drawn>& drawn) {
  const bool wide = std::any_of(drawn.begin(), drawn.end(), [](const Drawn& d) {
    return legend_of(*d.series).size() > kWideName;
  });
  return wide ? 1 : kKeyColumns;
}

std::size_t key_rows(const std::vector<Drawn>& drawn) {
  const std::size_t columns = key_columns(drawn);
  return (drawn.size() + columns - 1) / columns;
}

// The names under bars are slanted where they would meet.
bool slanted(const Panel& panel) {
  std::size_t longest = 0;
  for (const std::string& name : panel.x_names) longest = std::max(longest, name.size());
  return longest * panel.x_names.size() > kLevelNames;
}

std::string look_of(const Drawn& d) {
  switch (d.series->style) {
    case Series::Style::kPoints:
      return fmt::format(
          "with points pointtype {} pointsize {} linewidth 1.5 linecolor rgb '#{:06X}'",
          d.series->paper ? 6 : 7, d.series->paper ? 1.2 : 0.8, d.colour);
    case Series::Style::kBars:
      return fmt::format("with boxes fillstyle {} border rgb '#{:06X}' linecolor rgb '#{:06X}'",
                         d.series->paper ? "pattern 4" : "solid 0.9", d.colour, d.colour);
    case Series::Style::kLines:
    case Series::Style::kSteps: break;
  }
  return fmt::format("with {} linewidth 2 dashtype {} linecolor rgb '#{:06X}'",
                     d.series->style == Series::Style::kSteps ? "steps" : "lines",
                     d.series->paper ? "(8,4)"
                     : d.again       ? "(2,3)"
                                     : "solid",
                     d.colour);
}

std::string range_text(const std::optional<std::pair<double, double>>& range,
                       std::string_view otherwise) {
  return range ? fmt::format("[{}:{}]", range->first, range->second) : std::string(otherwise);
}

std::string axes_of(const Panel& panel, const std::vector<Drawn>& drawn) {
  std::string text = "unset logscale\n";
  if (panel.log_x) text += "set logscale x\n";
  if (panel.log_y) text += "set logscale y\n";
  bool negative = false;
  for (const Drawn& d : drawn) {
    for (const auto& point : d.points) negative = negative || point.second < 0;
  }
  // An axis that does not begin at nothing makes differences look larger than they are.
  text += "set yrange " + range_text(panel.y_range, panel.log_y || negative ? "[*:*]" : "[0:*]");
  text += "\n";
  if (panel.x_names.empty()) {
    text += "set xrange " + range_text(panel.x_range, "[*:*]") + "\nset xtics norotate autofreq\n";
    return text;
  }
  const std::string all = fmt::format("[-0.6:{}]", static_cast<double>(panel.x_names.size()) - 0.4);
  text += "set xrange " + range_text(panel.x_range, all) + "\nset xtics ";
  text += slanted(panel) ? "rotate by 25 right (" : "norotate (";
  for (std::size_t i = 0; i < panel.x_names.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", label_literal(panel.x_names[i]), i);
  }
  return text + ")\n";
}

std::string panel_text(const Panel& panel, std::size_t number, const LookOf& looks) {
  const auto drawn = drawn_of(panel, looks);
  std::string text =
      fmt::format("\nset title {}\nset xlabel {}\nset ylabel {}\n", literal(panel.title),
                  literal(panel.x_label), literal(panel.y_label));
  if (drawn.empty()) {
    return text +
           "unset logscale\nset xrange [0:1]\nset yrange [0:1]\nset xtics norotate autofreq\n"
           "set label 1 'nothing measured' at graph 0.5, 0.5 center\n"
           "plot NaN notitle\nunset label 1\n";
  }
  text += axes_of(panel, drawn);
  const std::size_t bars = bars_in(drawn);
  const double width = bars == 0 ? kBarsWidth : kBarsWidth / static_cast<double>(bars);
  text += fmt::format("set boxwidth {:.4f} absolute\nset key maxcols {}\n", width * 0.92,
                      key_columns(drawn));
  std::string plot = "plot ";
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const Drawn& d = drawn[i];
    const bool is_bar = d.series->style == Series::Style::kBars;
    const double shift =
        is_bar ? (static_cast<double>(d.bar) - static_cast<double>(bars - 1) / 2) * width : 0;
    const std::string data = fmt::format("$data_{}_{}", number, i);
    text += data + " << END_OF_DATA\n";
    for (const auto& [x, y] : d.points) text += fmt::format("{} {}\n", x + shift, y);
    text += "END_OF_DATA\n";
    plot += fmt::format("{}{} using 1:2 title {} {}", i == 0 ? "" : ", \\\n     ", data,
                        literal(legend_of(*d.series)), look_of(d));
  }
  return text + plot + "\n";
}

}  // namespace

std::string script_of(const Plot& plot) {
  const LookOf looks = looks_of(plot);
  std::size_t rows = 0;
  bool has_slanted = false;
  for (const Panel& panel : plot.panels) {
    rows = std::max(rows, key_rows(drawn_of(panel, looks)));
    has_slanted = has_slanted || slanted(panel);
  }
  const std::size_t panels = std::max<std::size_t>(1, plot.panels.size());
  const std::size_t width = panels == 1 ? kSingleWidth : panels * kPanelWidth;
  const std::size_t extra_rows = rows > 2 ? rows - 2 : 0;
  const std::size_t height = kHeight + kTitleHeight + extra_rows * kKeyRowHeight;
  // The same margins for all, so that axes beside each other are level. In lines: tics, the axis's
  // name, the legend.
  const double tics = has_slanted ? 6 : 3.6;
  const double below = tics + static_cast<double>(rows) * 0.85 + 0.4;
  std::string text = fmt::format(
      "set terminal pngcairo noenhanced size {},{} background rgb 'white' fontscale 0.9\n"
      "set encoding utf8\n"
      "set border 3 linecolor rgb '#555555'\n"
      "set tics nomirror textcolor rgb '#222222'\n"
      "set grid linetype 1 linewidth 0.6 linecolor rgb '#DDDDDD' back\n"
      "set key at graph 0.5, character {:.1f} center top horizontal Left reverse samplen 3 "
      "font ',9'\n"
      "set bmargin {:.1f}\n"
      "set multiplot layout 1,{} title {} noenhanced font ',12'\n",
      width, height, below - tics + 0.1, below, panels, literal(plot.title));
  for (std::size_t i = 0; i < plot.panels.size(); ++i) {
    text += panel_text(plot.panels[i], i, looks);
  }
  return text + "\nunset multiplot\n";
}

}  // namespace qvid::lab
