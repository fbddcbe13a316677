// A log is followed as it grows, rotates and begins again; what is none is refused. And its plot.
#include "app/mon/mon_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/mon/mon_plot.h"
#include "transport/session/signal_csv.h"

namespace qvid::app {
namespace {

namespace fs = std::filesystem;
using paceline::Signal;
using paceline::SignalSample;

SignalSample at(Duration time, std::uint64_t session = 1) {
  SignalSample sample;
  sample.time = time;
  sample.session = session;
  return sample;
}

struct SignalFileTest : testing::Test {
  void SetUp() override {
    folder = fs::temp_directory_path() / ("qvid-mon-test-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    path = folder / "run.csv";
  }
  void TearDown() override { fs::remove_all(folder); }

  void append(const std::string& text) { std::ofstream(path, std::ios::app) << text; }
  std::size_t count() const {
    const Samples* samples = history.of(1);
    return samples == nullptr ? 0 : samples->size();
  }
  bool poll(SignalFile& file) {
    const auto result = file.poll(history);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result && *result;
  }

  fs::path folder, path;
  SignalHistory history{std::nullopt};
};

TEST_F(SignalFileTest, FollowsAFileThatComesAndGrows) {
  SignalFile file(path);
  EXPECT_FALSE(poll(file)) << "not there yet";
  append("");
  EXPECT_TRUE(poll(file));
  append(paceline::csv_header() + csv_line(at(1s)));
  EXPECT_TRUE(poll(file));
  EXPECT_EQ(count(), 1u);
  const std::string line = csv_line(at(2s));
  append(line.substr(0, 10));
  EXPECT_TRUE(poll(file));
  EXPECT_EQ(count(), 1u);
  append(line.substr(10));
  EXPECT_TRUE(poll(file));
  EXPECT_EQ(count(), 2u);
}

TEST_F(SignalFileTest, GoesOnWhenTheLogRotates) {
  SignalFile file(path);
  append(paceline::csv_header() + csv_line(at(1s)));
  EXPECT_TRUE(poll(file));
  append(csv_line(at(2s)));  // read from the file that was moved away
  fs::rename(path, path.string() + ".1");
  append(paceline::csv_header() + csv_line(at(3s)));
  EXPECT_TRUE(poll(file));
  EXPECT_EQ(count(), 3u);
  fs::remove(path);
  EXPECT_TRUE(poll(file)) << "what it has open is still there";
}

TEST_F(SignalFileTest, BeginsAgainWithAFileThatWasCut) {
  SignalFile file(path);
  append(paceline::csv_header() + csv_line(at(5s)) + csv_line(at(6s)));
  EXPECT_TRUE(poll(file));
  std::ofstream(path) << paceline::csv_header() << csv_line(at(1s));
  EXPECT_TRUE(poll(file));
  EXPECT_EQ(count(), 1u);
  EXPECT_EQ(history.end(), 1s);
}

TEST_F(SignalFileTest, RefusesWhatIsNoLog) {
  append("dear diary,\n");
  SignalFile diary(path);
  auto refused = diary.poll(history);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("is no log of signals"), std::string::npos);
  EXPECT_NE(refused.error().message.find("qvid serve --signals"), std::string::npos);
  SignalFile a_folder(folder);
  refused = a_folder.poll(history);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("is a folder"), std::string::npos);
  SignalFile device("/dev/null");
  refused = device.poll(history);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("no regular file"), std::string::npos);
}

// Pixels of the header of a PNG; zeros where it is none.
std::array<unsigned, 2> size_of(const fs::path& png) {
  std::ifstream in(png, std::ios::binary);
  std::array<unsigned char, 24> bytes{};
  in.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
  if (!in || bytes[1] != 'P' || bytes[2] != 'N') return {};
  const auto number = [&](std::size_t i) {
    return bytes[i] * 16777216u + bytes[i + 1] * 65536u + bytes[i + 2] * 256u + bytes[i + 3];
  };
  return {number(16), number(20)};
}

bool gnuplot_is_missing() { return std::system("gnuplot --version > /dev/null 2>&1") != 0; }

TEST_F(SignalFileTest, DrawsThePanelsOfWhichSomethingIsKnown) {
  if (gnuplot_is_missing()) GTEST_SKIP() << "gnuplot is not installed";
  Samples samples{at(0s), at(1s), at(2s)};
  ASSERT_TRUE(plot_signals(samples, "nothing", folder / "empty.png"));
  const auto empty = size_of(folder / "empty.png");
  EXPECT_EQ(empty[0], 1400u);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto value = static_cast<double>(i);
    auto& values = samples[i].values;
    values[static_cast<std::size_t>(Signal::kRtt)] = 30 + value;
    values[static_cast<std::size_t>(Signal::kWindow)] = SignalSample::kMaxSignal;  // no limit
    values[static_cast<std::size_t>(Signal::kFailovers)] = value;
    values[static_cast<std::size_t>(Signal::kInterrupted)] = 1;
    values[static_cast<std::size_t>(Signal::kSent)] = SignalSample::kMaxSignal * value / 2;
  }
  ASSERT_TRUE(plot_signals(samples, "two panels", folder / "two.png"));
  const auto two = size_of(folder / "two.png");
  EXPECT_EQ(two[1], empty[1] + 2 * (120 + 34));
}

TEST_F(SignalFileTest, DrawsASingleSample) {
  if (gnuplot_is_missing()) GTEST_SKIP() << "gnuplot is not installed";
  Samples samples{at(5s)};
  samples[0].values.fill(1);
  ASSERT_TRUE(plot_signals(samples, "one", folder / "one.png"));
  EXPECT_GT(size_of(folder / "one.png")[1], 100u);
  EXPECT_FALSE(fs::exists(folder / "one.png.gnuplot"));
  EXPECT_FALSE(fs::exists(folder / "one.png.unfinished"));
}

TEST_F(SignalFileTest, WithoutGnuplotTheScriptIsLeft) {
  const std::string paths = std::getenv("PATH");
  ::setenv("PATH", folder.c_str(), 1);
  const auto drawn = plot_signals({at(1s)}, "one", folder / "one.png");
  ::setenv("PATH", paths.c_str(), 1);
  ASSERT_FALSE(drawn);
  EXPECT_NE(drawn.error().message.find("install the package gnuplot-nox"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder / "one.png.gnuplot"));
  EXPECT_FALSE(fs::exists(folder / "one.png"));
}

TEST(Plot, TheScriptHoldsWhatIsKnownAndNoCommandOfThePeer) {
  Samples samples{at(0s), at(1s), at(2s)};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].values[static_cast<std::size_t>(Signal::kRtt)] = 30 + static_cast<double>(i);
    samples[i].values[static_cast<std::size_t>(Signal::kWindow)] = SignalSample::kMaxSignal;
    samples[i].values[static_cast<std::size_t>(Signal::kFailovers)] = i == 0 ? 0 : 1;
    samples[i].values[static_cast<std::size_t>(Signal::kInterrupted)] = i == 0 ? 0 : 1;
  }
  const std::string script = plot_script(samples, "it's\n`touch x`");
  const auto has = [&](const std::string& text) { return script.find(text) != std::string::npos; };
  EXPECT_TRUE(has("'Round trip [ms]'")) << script;
  EXPECT_TRUE(has("'smoothed'"));
  EXPECT_FALSE(has("'Outstanding"));  // without bound, nothing to show
  EXPECT_TRUE(has("$interrupted << END_OF_DATA\n1.000 2.000\n"));
  EXPECT_TRUE(has("$mark_0 << END_OF_DATA\n1.000\n"));
  EXPECT_TRUE(has("\n2.000 32 0 0\n"));
  EXPECT_EQ(script.find('`'), std::string::npos);
  EXPECT_FALSE(has("it's"));
}

TEST_F(SignalFileTest, SaysWhereItCannotDraw) {
  const auto drawn = plot_signals({at(1s)}, "none", folder / "none" / "plot.png");
  ASSERT_FALSE(drawn);
  EXPECT_NE(drawn.error().message.find("plot.png"), std::string::npos);
}

TEST(Plot, AxesHaveRoundMarks) {
  EXPECT_EQ(axis_marks(100, 4), (std::vector<double>{50, 100}));
  EXPECT_EQ(axis_marks(3, 4), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(axis_marks(71, 4), (std::vector<double>{20, 40, 60, 80}));
  for (double top = 1e-6; top < 1e16; top *= 1.7) {
    const auto marks = axis_marks(top, 4);
    EXPECT_GE(marks.back(), top * (1 - 1e-9));
    EXPECT_LE(marks.size(), 4u) << top;
    EXPECT_GE(marks.size(), 2u) << top;
  }
}

}  // namespace
}  // namespace qvid::app
