// `qvid prepare`: encodes video files once, so that a server plays them without encoding.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "app/command/commands.h"
#include "app/command/report.h"
#include "app/log/log.h"
#include "app/options/values.h"
#include "base/clock.h"
#include "base/text.h"
#include "media/stored/prepare.h"

namespace qvid::app {
namespace {

struct PrepareArguments {
  std::vector<std::string> files;
  std::string output;
  std::string size;
  std::string bitrate = "2500k";
  bool force = false;
};

// How often the progress line is written anew.
constexpr Duration kProgressInterval = 250ms;
constexpr unsigned kMostThreads = 4;

// One line on a terminal that is written over and over; nothing where there is none.
class ProgressLine {
 public:
  ProgressLine(const std::string& name, bool shown)
      : name_(printable(name)), shown_(shown), began_(steady_now()), next_(began_) {}
  ~ProgressLine() {
    if (written_) fmt::print(stderr, "\r\033[K");
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const media::PrepareProgress& progress) {
    const Timestamp now = steady_now();
    if (!shown_ || now < next_) return;
    next_ = now + kProgressInterval;
    written_ = true;
    const double speed = to_seconds(progress.done) / std::max(1e-3, to_seconds(now - began_));
    std::string share;
    std::string left;
    if (progress.duration > Duration::zero() && speed > 0) {
      const Duration rest = std::max(Duration::zero(), progress.duration - progress.done);
      share = fmt::format("{:3.0f}%, ", std::min(100.0, 100 * to_seconds(progress.done) /
                                                            to_seconds(progress.duration)));
      left = ", " + clock_text(to_seconds(rest) / speed) + " left";
    }
    fmt::print(stderr, "\r\033[K{}: {}{}, {:.1f} x real time{}", name_, share,
               clock_text(to_seconds(progress.done)), speed, left);
    std::fflush(stderr);
  }

 private:
  static std::string clock_text(double seconds) {
    const auto whole = static_cast<long long>(std::min(seconds, 1e9));
    return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                        : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }

  std::string name_;
  bool shown_;
  bool written_ = false;
  Timestamp began_;
  Timestamp next_;
};

nlohmann::json prepared_json(const std::string& file, const Result<media::Prepared>& result,
                             Duration took) {
  nlohmann::json json = {{"file", file}};
  if (!result) {
    json["outcome"] = "failed";
    json["reason"] = result.error().message;
    return json;
  }
  const media::Prepared& p = *result;
  switch (p.outcome) {
    case media::Prepared::Outcome::kStopped: json["outcome"] = "stopped"; return json;
    case media::Prepared::Outcome::kUpToDate: json["outcome"] = "up to date"; break;
    case media::Prepared::Outcome::kWritten:
      json["outcome"] = "written";
      json["took_s"] = to_seconds(took);
      break;
  }
  json["output"] = p.output.string();
  json["frames"] = p.frames;
  json["seconds"] = to_seconds(p.info.duration);
  json["width"] = p.info.size.width;
  json["height"] = p.info.size.height;
  json["bytes"] = p.size.value();
  json["base_kbps"] = p.info.base_rate.kbps();
  json["total_kbps"] = p.info.total_rate.kbps();
  return json;
}

std::string prepared_text(const media::Prepared& p, Duration took) {
  return fmt::format(
      "{}: {}x{}, {:.4g} frames a second, {:.1f} s; {:.1f} MB, {:.0f} kbit/s of which the base "
      "layer is {:.0f}; {:.1f} x real time\n",
      printable(p.output.string()), p.info.size.width, p.info.size.height, p.info.rate.per_second(),
      to_seconds(p.info.duration), static_cast<double>(p.size.value()) / 1e6,
      p.info.total_rate.kbps(), p.info.base_rate.kbps(),
      to_seconds(p.info.duration) / std::max(1e-3, to_seconds(took)));
}

// Every file is tried, whatever becomes of the others; a stop ends it all.
ExitCode prepare_all(const PrepareArguments& a, media::PrepareOptions options,
                     const CommonOptions& common, const std::stop_token& stop) {
  nlohmann::json list = nlohmann::json::array();
  ExitCode code = kExitOk;
  for (const std::string& file : a.files) {
    options.input = file;
    const Timestamp began = steady_now();
    const auto result = [&] {
      ProgressLine line(file, !common.quiet && !common.json && ::isatty(STDERR_FILENO) == 1);
      return media::prepare(
          options, [&](const auto& progress) { line.show(progress); }, stop);
    }();
    const Duration took = steady_now() - began;
    if (common.json) list.push_back(prepared_json(file, result, took));
    if (!result) {
      log_error("{}", printable(result.error().message));
      code = kExitFailure;
    } else if (result->outcome == media::Prepared::Outcome::kStopped) {
      log_warning("stopped: nothing is left of the prepared {}", printable(file));
      code = kExitFailure;
      break;
    } else if (common.json || common.quiet) {
      continue;
    } else if (result->outcome == media::Prepared::Outcome::kUpToDate) {
      fmt::print("{} is there and up to date; --force prepares it again\n",
                 printable(result->output.string()));
    } else {
      fmt::print("{}", prepared_text(*result, took));
    }
  }
  if (common.json) fmt::print("{}\n", dump(list));
  return code;
}

ExitCode prepare(const PrepareArguments& a, const CommonOptions& common) {
  media::PrepareOptions options{.input = {}, .output = a.output, .force = a.force};
  if (!a.output.empty() && a.files.size() > 1) {
    log_error("--output is of one file, and there are {}", a.files.size());
    return kExitUsage;
  }
  if (!a.size.empty()) {
    const auto size = parse_size(a.size);
    if (!size) return log_error("{}", size.error().message), kExitUsage;
    options.size = *size;
  }
  const auto bitrate = parse_bitrate(a.bitrate);
  if (!bitrate) return log_error("{}", bitrate.error().message), kExitUsage;
  options.bitrate = *bitrate;
  options.threads =
      static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads));

  std::stop_source stop;
  boost::asio::io_context io(1);
  boost::asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code& error, int) {
    if (error) return;
    signals.clear();  // a second Ctrl-C ends at once
    stop.request_stop();
  });
  const std::jthread waiting([&io] { io.run(); });
  const ExitCode code = prepare_all(a, options, common, stop.get_token());
  io.stop();
  return code;
}

}  // namespace

Run add_prepare(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<PrepareArguments>();
  CLI::App* c = qvid.add_subcommand(
      "prepare", "Encode video files once, into FILE.qvid, so that serving them costs no encoding");
  c->add_option("file", a->files, "Video files, of any kind that FFmpeg reads")->required();
  c->add_option("-s,--size", a->size, "Picture size, as 1280x720; default: the file's own");
  c->add_option("-b,--bitrate", a->bitrate, "Bits a second of all layers together")
      ->capture_default_str();
  c->add_option("--output", a->output, "Where to write it; default: FILE.qvid, where serve looks");
  c->add_flag("--force", a->force, "Also where the prepared file is up to date");
  return [a, &common] { return prepare(*a, common); };
}

}  // namespace qvid::app
