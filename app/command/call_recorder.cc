#include "app/command/call_recorder.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "app/log/log.h"
#include "base/text.h"
#include "pubsub/wire/control_values.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

constexpr Duration kRecorderTurn = std::chrono::seconds(1);

}  // namespace

PartyOptions recorder_options(PartyOptions call) {
  const std::string name = call.name + " (recording)";
  call.name = qps::is_name(name) ? name : "recording";
  call.source.reset();
  call.share.reset();
  call.share_sound = false;
  call.watches = call.records = true;
  call.names.clear();
  call.best.clear();
  call.seats = static_cast<int>(qps::kMaxSeats);
  call.window = kRecordingWindow;
  return call;
}

CallRecorder::CallRecorder(PartyOptions call, const std::filesystem::path& output,
                           std::function<void(const std::string&)> notice)
    : output_(output),
      notice_(std::move(notice)),
      seats_({.output = output, .who = {}, .all = true, .replace = false},
             {.members = [this] { return party_.report().members; },
              .watch_only = [](const std::string&) {},
              .began = [] {}}),
      party_(io_, recorder_options(std::move(call)), seats_, nullptr, nullptr,
             {.own_picture = {},
              .changed = [] {},
              .notice = [](const std::string& text) { log_info("recording: {}", text); },
              .ended = [this](ExitCode code, const std::string& why) { on_ended(code, why); }}),
      thread_([this] { run(); }) {}

CallRecorder::~CallRecorder() {
  stop();
  thread_.join();
}

void CallRecorder::stop() {
  boost::asio::post(io_, [this] { party_.stop(); });
}

void CallRecorder::run() {
  party_.start();
  every_second();
  io_.run();
  std::size_t files = 0;
  for (const auto& [track, recording] : seats_.recordings()) {
    recording->finish();
    files += recording->stats().files.size();
  }
  tell_failures();
  notice_(files == 0 ? ui::tr("nothing was recorded")
                     : ui::filled(ui::tr("recorded: {} files of {}"), files,
                                  printable(std::filesystem::absolute(output_).string())));
  over_ = true;
}

// Each once. Where all have failed there is nothing left to do.
void CallRecorder::tell_failures() {
  for (const auto& [track, recording] : seats_.recordings()) {
    const auto stats = recording->stats();
    if (!stats.error || !failed_.insert(track).second) continue;
    notice_(ui::filled(ui::tr("the recording of {} failed: {}"), printable(track.text()),
                       printable(stats.error->message)));
  }
  if (!failed_.empty() && failed_.size() == seats_.recordings().size()) party_.stop();
}

void CallRecorder::every_second() {
  tick_.after(kRecorderTurn, [this] {
    tell_failures();
    if (!ended_) every_second();
  });
}

void CallRecorder::on_ended(ExitCode code, const std::string& why) {
  ended_ = true;
  tick_.cancel();
  if (code != kExitOk) {
    notice_(ui::filled(ui::tr("the recording has ended: {}"), printable(why)));
  }
}

}  // namespace qvid::app
