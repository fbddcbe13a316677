// docs/results.md out of a folder of outcomes, and the commands as processes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "lab/experiments/results_page.h"
#include "tests/e2e/process.h"
#include "tests/lab/experiment_sample.h"

namespace qvid::lab {
namespace {

using e2e::Process;

class ResultsPage : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    const auto failed = write_file(folder_ / name, text);
    ASSERT_FALSE(failed) << failed->message;
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("results_" + std::to_string(getpid()));
  const std::vector<Experiment> experiments_{
      {.name = "other", .title = "Another", .source = "001", .plan = nullptr, .evaluate = nullptr},
      {.name = "sample", .title = "Sample", .source = "000", .plan = nullptr, .evaluate = nullptr}};
};

TEST_F(ResultsPage, ListsTargetsAndWhatIsMissing) {
  write("sample.json", json_of(sample_outcome()).dump());
  const OutcomeFolder found = read_outcomes(folder_, experiments_);
  EXPECT_TRUE(found.unreadable.empty());
  ASSERT_EQ(found.outcomes.size(), 1u);
  const std::string page = results_page(experiments_, found, "images/lab/");
  for (const char* part :
       {"# Results\n", "`./run lab results`", "\n1 of 2 met.\n",
        "| [A sample \\| of it](#a-sample--of-it) | share | ≥ 0.9 | 0.5 | **missed** |\n",
        "- Another: not measured yet (`./run lab other`)\n- [A sample \\| of it](#a-sample--of-it)",
        "\n## A sample \\| of it\n", "`./run lab sample` at commit `0123abcd+`",
        "(images/lab/sample-delay.png)"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  }
}

TEST_F(ResultsPage, OfNothingHasNoTargets) {
  const std::string page = results_page(experiments_, {}, "");
  EXPECT_EQ(page.find("## Targets"), std::string::npos);
  EXPECT_NE(page.find("Sample: not measured yet"), std::string::npos);
}

TEST_F(ResultsPage, SaysWhatCannotBeRead) {
  write("sample.json", "{");
  write("other.json", "[]");
  const OutcomeFolder found = read_outcomes(folder_, experiments_);
  ASSERT_EQ(found.unreadable.size(), 2u);
  EXPECT_NE(found.unreadable[0].find("other.json: the outcome is no object"), std::string::npos);
  EXPECT_NE(found.unreadable[1].find("sample.json is no JSON"), std::string::npos);
}

TEST_F(ResultsPage, FilesAreReplacedWhole) {
  write("a", "one");
  write("a", "two");
  std::ifstream file(folder_ / "a");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
  EXPECT_TRUE(write_file(folder_ / "missing" / "a", "x"));
}

TEST_F(ResultsPage, CommandMakesIt) {
  const auto page = folder_ / "docs" / "results.md";
  Process lab({QVID_LAB_PROGRAM, "results", "--in", folder_.string(), "--page", page.string(),
               "--images", (folder_ / "docs" / "images").string()});
  EXPECT_EQ(lab.wait(), 0) << lab.log();
  EXPECT_TRUE(std::filesystem::exists(page)) << lab.log();
}

TEST(ExperimentCommand, ListsAndKnowsNames) {
  Process list({QVID_LAB_PROGRAM, "experiment", "--json"});
  EXPECT_EQ(list.wait(), 0) << list.log();
  EXPECT_TRUE(nlohmann::json::parse(list.out(), nullptr, false).is_array()) << list.out();
  Process unknown({QVID_LAB_PROGRAM, "experiment", "no-such-thing"});
  EXPECT_EQ(unknown.wait(), 2);
  EXPECT_NE(unknown.log().find("there is no experiment 'no-such-thing'"), std::string::npos)
      << unknown.log();
  Process jobs({QVID_LAB_PROGRAM, "experiment", "--jobs", "0"});
  EXPECT_EQ(jobs.wait(), 2);
}

}  // namespace
}  // namespace qvid::lab
