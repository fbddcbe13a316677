// gnuplot's script, and, where there is gnuplot, a picture.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "lab/experiments/plot.h"
#include "tests/lab/experiment_sample.h"

namespace qvid::lab {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

Plot plot_of(std::vector<Series> series) {
  Panel panel;
  panel.series = std::move(series);
  return {.name = "p", .title = "P", .panels = {panel}};
}

TEST(PlotScript, HasPanelsSideBySideAndAllData) {
  const std::string script = script_of(sample_outcome().plots[0]);
  EXPECT_TRUE(contains(script, "set multiplot layout 1,2 title 'Delay'")) << script;
  EXPECT_TRUE(contains(script, "pngcairo noenhanced size 960,"));
  EXPECT_TRUE(contains(script, "$data_0_0 << END_OF_DATA\n1 0.5\n10 1\nEND_OF_DATA\n")) << script;
  EXPECT_TRUE(contains(script, "set logscale x\nset yrange [0:1]\n"));
  EXPECT_TRUE(contains(script, "set xtics norotate ('1 flow' 0, '2 flows' 1)\n"));
  EXPECT_TRUE(contains(script, "title 'paper: pace' with points"));
}

TEST(PlotScript, OneNameHasOneColourAndThePapersIsGreyer) {
  const std::string script = script_of(sample_outcome().plots[0]);
  // Our steps; our bars, fill and border.
  EXPECT_EQ(count(script, "rgb '#0072B2'"), 3u) << script;
  EXPECT_EQ(count(script, "rgb '#3D81A7'"), 1u) << script;
}

TEST(PlotScript, LeavesOutWhatIsEmpty) {
  const std::string script =
      script_of(plot_of({{.name = "none", .points = {}}, {.name = "one", .points = {{1, 2}}}}));
  EXPECT_FALSE(contains(script, "'none'"));
  EXPECT_TRUE(contains(script, "'one'"));
  Plot log = plot_of({{.name = "negative", .points = {{0, 2}, {-1, 2}}}});
  log.panels[0].log_x = true;
  EXPECT_TRUE(contains(script_of(log), "nothing measured"));
}

TEST(PlotScript, BarsStandBesideEachOther) {
  const auto bars = [](const char* name, bool paper) {
    return Series{.name = name, .points = {{0, 5}}, .style = Series::Style::kBars, .paper = paper};
  };
  const std::string script = script_of(plot_of({bars("a", true), bars("a", false)}));
  EXPECT_TRUE(contains(script, "\n-0.2 5\n")) << script;
  EXPECT_TRUE(contains(script, "\n0.2 5\n")) << script;
}

TEST(PlotScript, TextsHoldNoCommands) {
  const std::string bad = "x' ; system('touch pwned') \n!touch pwned\n`id` \"@a\" $b 50% \\";
  Plot plot = plot_of({{.name = bad, .points = {{0, 1}}}});
  plot.title = bad;
  plot.panels[0].title = plot.panels[0].x_label = plot.panels[0].y_label = bad;
  plot.panels[0].x_names = {bad};
  const std::string script = script_of(plot);
  EXPECT_EQ(count(script, "touch pwned"), 12u);
  EXPECT_FALSE(contains(script, "`"));
  EXPECT_FALSE(contains(script, "\n!"));
  // Each line has its quotes in pairs: none was added by a text.
  std::size_t at = 0;
  for (std::size_t end = 0; (end = script.find('\n', at)) != script.npos; at = end + 1) {
    const std::string_view line(script.data() + at, end - at);
    EXPECT_EQ(count(line, "'") % 2, 0u) << line;
    EXPECT_FALSE(contains(std::string(line), "x' ;")) << line;
  }
}

class PlotPicture : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_for_plots(); !missing.empty()) GTEST_SKIP() << missing;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("plot_" + std::to_string(getpid()));
};

TEST_F(PlotPicture, IsAPngOfItsSize) {
  std::filesystem::create_directories(folder_);
  Plot plot = sample_outcome().plots[0];
  plot.panels.emplace_back();  // with nothing in it
  plot.panels[0].series[0].name = "x' ; exit 1 # `exit` @a $b 50% \\";
  plot.panels[1].x_names[0] = "50% %s %n";
  const auto failed = draw(plot, folder_ / "p.png");
  ASSERT_FALSE(failed) << failed->message;
  std::array<unsigned char, 24> head{};
  std::ifstream(folder_ / "p.png", std::ios::binary)
      .read(reinterpret_cast<char*>(head.data()), head.size());
  EXPECT_EQ(head[1], 'P');
  EXPECT_EQ(head[18] * 256 + head[19], 3 * 480);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(PlotPicture, ThatCannotBeWrittenSaysWhere) {
  const auto failed = draw(sample_outcome().plots[0], folder_ / "missing" / "p.png");
  ASSERT_TRUE(failed);
  EXPECT_TRUE(contains(failed->message, "missing/p.png")) << failed->message;
}

}  // namespace
}  // namespace qvid::lab
