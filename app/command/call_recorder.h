// Recording the call that one takes part in, begun and ended in its window: another member of the room,
// of the same rights, that writes everybody to files (app/command/recorded_seats.h). So the broker
// tells all that somebody records, as of `qvid record`, and what comes is sent a second time.
//
// Bound: RecordedSeats'. Thread: one of its own, which writes; `over` any.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include "app/command/recorded_seats.h"
#include "app/room/room_party.h"
#include "transport/socket/timer.h"

namespace qvid::app {

// The same party as one that only records, under a name of its own.
PartyOptions recorder_options(PartyOptions call);

class CallRecorder {
 public:
  // `call`: a party's options, with keys and a proxy of its own (they are of one thread). `output`: FILE.mkv;
  // each member is written to FILE-NAME.mkv. `notice` is told what becomes of it; any thread.
  CallRecorder(PartyOptions call, const std::filesystem::path& output,
               std::function<void(const std::string&)> notice);
  // The files are whole when it returns.
  ~CallRecorder();
  CallRecorder(const CallRecorder&) = delete;
  CallRecorder& operator=(const CallRecorder&) = delete;

  // It ends soon.
  void stop();
  // It has ended, and its files are whole.
  bool over() const { return over_; }

 private:
  void run();
  void every_second();
  void tell_failures();
  void on_ended(ExitCode code, const std::string& why);

  const std::filesystem::path output_;
  const std::function<void(const std::string&)> notice_;
  std::atomic<bool> over_ = false;
  bool ended_ = false;  // the party
  boost::asio::io_context io_{1};
  paceline::Timer tick_{io_};
  std::set<RecordedTrack> failed_;
  RecordedSeats seats_;
  RoomParty party_;
  std::thread thread_;
};

}  // namespace qvid::app
