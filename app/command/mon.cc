// `qvid mon`: Qmon. Follows a log of signals in a terminal, or tells or draws what is in it.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/command/commands.h"
#include "app/command/report.h"
#include "app/log/log.h"
#include "app/mon/mon_file.h"
#include "app/mon/mon_history.h"
#include "app/mon/mon_plot.h"
#include "app/mon/mon_table.h"
#include "app/mon/mon_terminal.h"
#include "base/clock.h"
#include "base/text.h"

namespace qvid::app {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr Duration kLook = std::chrono::milliseconds(200);          // at the file
constexpr Duration kLineEvery = std::chrono::seconds(1);            // without a terminal
constexpr Duration kShownSpan = std::chrono::milliseconds(61'500);  // what the screen needs

struct MonArguments {
  std::string file;
  std::string plot;
  std::uint64_t session = 0;  // 0: the newest
  bool once = false;
  bool wait = false;
};

// One run: looks at the file until it has done what was asked.
class MonRun {
 public:
  MonRun(const MonArguments& arguments, bool json)
      : arguments_(arguments),
        json_(json),
        one_shot_(json || arguments.once || !arguments.plot.empty()),
        chosen_(arguments.session),
        history_(arguments.plot.empty() ? std::optional(kShownSpan) : std::nullopt),
        file_(arguments.file),
        signals_(io_, SIGINT, SIGTERM),
        resized_(io_, SIGWINCH),
        suspended_(io_, SIGTSTP),
        timer_(io_),
        keys_(io_) {}

  ExitCode run() {
    signals_.async_wait([this](const error_code& error, int) {
      if (!error) stop(one_shot_ ? kExitFailure : kExitOk);
    });
    wait_resized();
    wait_suspended();
    look();
    io_.run();
    terminal_.reset();
    if (!trouble_.empty()) log_error("{}", trouble_);
    return code_;
  }

 private:
  void stop(ExitCode code) {
    code_ = code;
    stopped_ = true;
    signals_.cancel();
    resized_.cancel();
    suspended_.cancel();
    timer_.cancel();
    if (keys_.is_open()) keys_.release();
  }
  void fail(const std::string& why) {
    trouble_ = why;
    stop(kExitFailure);
  }

  void look() {
    const Duration before = history_.end();
    const bool empty = history_.empty();
    const auto there = file_.poll(history_);
    if (!there) return fail(there.error().message);
    const std::string name = printable(arguments_.file);
    if (!*there && !arguments_.wait) {
      return fail(fmt::format("there is no '{}'; --wait waits for it", name));
    }
    const Timestamp now = steady_now();
    if (empty != history_.empty() || before != history_.end()) grown_ = now;
    const Samples* samples = selected();
    if (one_shot_ && !arguments_.wait && samples == nullptr) {
      return fail(history_.empty()
                      ? fmt::format("there is no sample in '{}' yet; --wait waits for one", name)
                      : fmt::format("there is no session {} in '{}'; there is {}", chosen_, name,
                                    fmt::join(history_.sessions(), ", ")));
    }
    if (one_shot_ && samples != nullptr) return tell(*samples);
    if (!one_shot_) show(samples, now);
    if (!stopped_) look_again();
  }
  void look_again() {
    timer_.expires_after(kLook);
    timer_.async_wait([this](const error_code& error) {
      if (!error && !stopped_) look();
    });
  }

  const Samples* selected() const {
    if (chosen_ != 0) return history_.of(chosen_);
    const auto newest = history_.newest();
    return newest ? history_.of(*newest) : nullptr;
  }
  MonView view(Timestamp now) const {
    return {.file = arguments_.file,
            .sessions = history_.sessions(),
            .follows_newest = chosen_ == 0,
            .silent = now - grown_};
  }

  // --once, --json, --plot
  void tell(const Samples& samples) {
    const MonView seen = view(grown_);
    if (!arguments_.plot.empty()) {
      const auto drawn = plot_signals(samples,
                                      fmt::format("{}, session {} with {}", arguments_.file,
                                                  samples.back().session, samples.back().peer),
                                      arguments_.plot);
      if (!drawn) return fail(drawn.error().message);
      log_info("drew {} samples into {}", samples.size(), printable(arguments_.plot));
    }
    if (json_) {
      fmt::print("{}\n", dump(json_of(samples, seen)));
    } else if (arguments_.once) {
      fmt::print("{}", summary_of(samples, seen));
    }
    stop(kExitOk);
  }

  // Live
  void show(const Samples* samples, Timestamp now) {
    if (!Terminal::usable()) {
      if (samples == nullptr || now < next_line_ || now - grown_ >= kLineEvery) return;
      next_line_ = now + kLineEvery;
      fmt::print("{}", line_of(*samples));
      if (std::fflush(stdout) != 0) fail("cannot write to stdout");
      return;
    }
    if (!terminal_) {
      terminal_.emplace();
      if (terminal_->has_keys() && !keys_.is_open()) {
        keys_.assign(STDIN_FILENO);
        read_keys();
      }
    }
    const Terminal::Size size = terminal_->size();
    if (samples != nullptr) {
      terminal_->draw(screen_of(*samples, view(now), size.columns, size.rows));
      return;
    }
    const ScreenLine lines[] = {
        {cut_to(fmt::format("Qmon  {}", printable(arguments_.file)), size.columns),
         Emphasis::kTitle},
        {cut_to(chosen_ == 0 || history_.empty()
                    ? "  waiting for a sample   q quit"
                    : fmt::format("  there is no session {}; there is "
                                  "{}   n next session   q quit",
                                  chosen_, fmt::join(history_.sessions(), ", ")),
                size.columns),
         Emphasis::kNone}};
    terminal_->draw(lines);
  }
  void wait_resized() {
    resized_.async_wait([this](const error_code& error, int) {
      if (error || stopped_) return;
      if (terminal_) show(selected(), steady_now());
      wait_resized();
    });
  }
  // Ctrl-Z: the shell gets its terminal back.
  void wait_suspended() {
    suspended_.async_wait([this](const error_code& error, int) {
      if (error || stopped_) return;
      terminal_.reset();
      std::raise(SIGSTOP);
      wait_suspended();  // and the next look draws
    });
  }
  // Reads when there is something: stdin stays as it is, blocking, since others share it.
  void read_keys() {
    keys_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const error_code& error) {
      if (error || stopped_) return;
      std::array<char, 64> typed{};
      const auto size = ::read(STDIN_FILENO, typed.data(), typed.size());
      if (size <= 0) return;  // the terminal has gone; signals still end it
      for (std::size_t i = 0; i < static_cast<std::size_t>(size) && !stopped_; ++i) act(typed[i]);
      if (stopped_) return;
      show(selected(), steady_now());
      read_keys();
    });
  }
  void act(char key) {
    if (key == 'q') stop(kExitOk);
    if (key == 'a') chosen_ = 0;
    if (key == 'n' || key == 'p') step(key == 'n');
  }
  void step(bool forward) {
    const auto sessions = history_.sessions();
    if (sessions.empty()) return;
    const std::uint64_t now = chosen_ != 0 ? chosen_ : *history_.newest();
    const auto at = std::ranges::lower_bound(sessions, now);
    if (forward) {
      const bool here = at != sessions.end() && *at == now;
      const auto next = here ? at + 1 : at;
      chosen_ = next == sessions.end() ? sessions.front() : *next;
    } else {
      chosen_ = at == sessions.begin() ? sessions.back() : *(at - 1);
    }
  }

  const MonArguments& arguments_;
  const bool json_;
  const bool one_shot_;
  std::uint64_t chosen_;
  SignalHistory history_;
  SignalFile file_;
  asio::io_context io_{1};
  asio::signal_set signals_;
  asio::signal_set resized_;
  asio::signal_set suspended_;
  asio::steady_timer timer_;
  asio::posix::stream_descriptor keys_;
  std::optional<Terminal> terminal_;
  Timestamp grown_ = steady_now();
  Timestamp next_line_{};
  std::string trouble_;
  ExitCode code_ = kExitOk;
  bool stopped_ = false;
};

}  // namespace

Run add_mon(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<MonArguments>();
  CLI::App* c = qvid.add_subcommand(
      "mon",
      "Watch the signals that `qvid serve` and `qvid play` log with --signals; --json tells "
      "the latest sample");
  c->add_option("file", a->file, "The log, a CSV file; it is followed as it grows")->required();
  c->add_option("--session", a->session,
                "Number of the session; default: the newest. Keys: n next, p previous")
      ->check(CLI::PositiveNumber);
  c->add_flag("--once", a->once, "Print a summary of the latest sample and end");
  c->add_option("--plot", a->plot, "Draw the signals over time into this PNG file and end");
  c->add_flag("--wait", a->wait, "Wait for the file, and for a sample in it");
  return [a, &common] { return MonRun(*a, common.json).run(); };
}

}  // namespace qvid::app
