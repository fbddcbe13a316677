// An outcome with a little of everything.
#pragma once

#include "lab/experiments/outcome.h"

namespace qvid::lab {

inline Outcome sample_outcome() {
  Outcome o;
  o.name = "sample";
  o.title = "A sample | of it";
  o.conditions = "Two flows over 8 Mbit/s.";
  o.command = "./run lab sample";
  o.commit = "0123abcd+";
  o.seconds = 33.6;
  o.late_ms = 0.125;
  o.tables = {{.title = "Delays",
               .source = "000 table 3.3",
               .columns = {{.name = "sender", .decimals = 0, .paper = false},
                           {.name = "median, ms", .decimals = 0, .paper = true},
                           {.name = "median, ms", .decimals = 1, .paper = false}},
               .rows = {{std::string("pace|1"), 21.0, 20.25}, {std::string("cubic"), {}, 240.0}}}};
  Panel panel;
  panel.title = "Ours";
  panel.x_label = "ms";
  panel.log_x = true;
  panel.y_range = {0, 1};
  panel.series = {
      {.name = "pace",
       .points = {{1, 0.5}, {10, 1}},
       .style = Series::Style::kSteps,
       .paper = false},
      {.name = "pace", .points = {{2, 0.5}}, .style = Series::Style::kPoints, .paper = true}};
  Panel bars;
  bars.x_names = {"1 flow", "2 flows"};
  bars.series = {
      {.name = "pace", .points = {{0, 3}, {1, 4}}, .style = Series::Style::kBars, .paper = false}};
  o.plots = {{.name = "sample-delay", .title = "Delay", .panels = {panel, bars}}};
  o.targets = {
      {.what = "median, ms", .wanted = 25, .at_least = false, .got = 20.25, .reason = {}},
      {.what = "share", .wanted = 0.9, .at_least = true, .got = 0.5, .reason = "It waits."}};
  o.notes = {"The paper had 16 flows."};
  o.failed = {"cubic: the link did not come up"};
  return o;
}

}  // namespace qvid::lab
