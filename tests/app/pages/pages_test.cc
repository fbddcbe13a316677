// Shows that pages have what --help has, and that nothing in a text is taken for a request of roff
// or a word of the shell.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "app/pages/bash_completion.h"
#include "app/pages/command_table.h"
#include "app/pages/fish_completion.h"
#include "app/pages/man_page.h"
#include "app/pages/zsh_completion.h"

namespace qvid::app {
namespace {

struct Tool {
  Tool() {
    app.description("Tool: does things.\n\n  tool go    goes");
    app.footer("'quoted' first, and a \\ and ~");
    CLI::App* go = app.add_subcommand("go", "Go somewhere");
    go->add_option("where", where, "The place")->required();
    go->add_option("-c,--codec", codec, "How")
        ->check(CLI::IsMember({"h264", "av1"}))
        ->capture_default_str();
    go->add_option("--mode", mode, "When")->option_text("on|off [on]");
    go->add_flag("--loop", loop, "Again - and again");
    go->add_option("--secret", secret, "Nobody's")->group("");
  }
  CLI::App app{"", "tool"};
  const CLI::App& go() const { return *app.get_subcommand("go"); }
  std::string where;
  std::string codec = "h264";
  std::string mode;
  std::string secret;
  bool loop = false;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Pages, AManPageHasEveryOptionShown) {
  const Tool tool;
  const std::string page = man_page(tool.go(), {{"tool", "go"}, "Tool 1.0", {"tool(1)"}});
  EXPECT_TRUE(has(page, ".TH TOOL-GO 1 \"\" \"Tool 1.0\"\n")) << page;
  EXPECT_TRUE(has(page, ".SH NAME\ntool\\-go \\- Go somewhere\n")) << page;
  EXPECT_TRUE(has(page, "\\fBtool go\\fR [\\fIoptions\\fR] \\fIwhere\\fR\n")) << page;
  EXPECT_TRUE(
      has(page, "\\fB\\-c\\fR, \\fB\\-\\-codec\\fR \\fIh264|av1\\fR\nHow.\nDefault: h264\n"))
      << page;
  EXPECT_TRUE(has(page, "\\fB\\-\\-loop\\fR\nAgain \\- and again\n")) << page;
  EXPECT_FALSE(has(page, "secret")) << page;
  EXPECT_TRUE(has(page, ".SH SEE ALSO\ntool(1)\n")) << page;
}

TEST(Pages, OfTheProgramItHasTheCommands) {
  const Tool tool;
  const std::string page = man_page(tool.app, {{"tool"}, "Tool 1.0"});
  EXPECT_TRUE(has(page, "tool \\- Tool: does things\n")) << page;
  EXPECT_TRUE(has(page, ".TP\n\\fBgo\\fR\nGo somewhere\n")) << page;
  EXPECT_TRUE(has(page, "\n  tool go    goes\n")) << page;
  EXPECT_TRUE(has(page, "\n\\&'quoted' first, and a \\e and \\(ti\n")) << page;
}

TEST(Pages, RoffTakesATextForNoRequest) {
  EXPECT_EQ(roff_text(".so /etc/passwd\n'x .y"), "\\&.so /etc/passwd\n\\&'x .y");
  EXPECT_EQ(roff_text("a\\fB-x`"), "a\\efB\\-x\\`");
}

TEST(Pages, ValuesAreThoseToChooseFrom) {
  const Tool tool;
  EXPECT_EQ(option_values(*tool.go().get_option("--codec")),
            (std::vector<std::string>{"h264", "av1"}));
  EXPECT_EQ(option_values(*tool.go().get_option("--mode")),
            (std::vector<std::string>{"on", "off"}));
  EXPECT_TRUE(option_values(*tool.go().get_option("where")).empty());
}

// What the shells make of it is seen by tests/install/ (install_test.sh, completion_test.sh).
TEST(Pages, BashIsTold) {
  const Tool tool;
  const std::string script = bash_completion(tool.app);
  EXPECT_TRUE(has(script, "'tool go --codec') values='h264 av1' ;;")) << script;
  EXPECT_TRUE(has(script, "'tool go --mode') values='on off' ;;")) << script;
  EXPECT_FALSE(has(script, "go --loop')")) << script;
  EXPECT_FALSE(has(script, "secret")) << script;
  EXPECT_TRUE(has(script, "complete -o default -F _tool tool\n")) << script;
}

TEST(Pages, FishIsToldWhatEachDoes) {
  const Tool tool;
  const std::string script = fish_completion(tool.app);
  EXPECT_TRUE(has(script, "            case 'tool go'\n")) << script;
  EXPECT_TRUE(has(script, "-n '__tool_at tool' -f -a go -d 'Go somewhere'\n")) << script;
  EXPECT_TRUE(has(script, "-n '__tool_at tool go' -s c -l codec -x -a 'h264 av1' -d 'How'\n"))
      << script;
  EXPECT_TRUE(has(script, "tool go' -l loop -d 'Again - and again'\n")) << script;
  EXPECT_FALSE(has(script, "secret")) << script;
}

TEST(Pages, ZshIsToldWhatEachDoes) {
  const Tool tool;
  const std::string script = zsh_completion(tool.app);
  EXPECT_TRUE(script.starts_with("#compdef tool\n")) << script;
  EXPECT_TRUE(has(script, "commands=( 'go:Go somewhere')")) << script;
  EXPECT_TRUE(has(script, "'tool go -c' | 'tool go --codec') compadd -- 'h264' 'av1'; return ;;"))
      << script;
  EXPECT_TRUE(has(script, "'--loop:Again - and again'")) << script;
  EXPECT_FALSE(has(script, "secret")) << script;
}

}  // namespace
}  // namespace qvid::app
