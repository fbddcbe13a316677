// `qvid broker` as a process of its own, with TLS: what load tests do harm to.
//
// The destructor kills it. Thread: the one that made it must outlive it
// (lab/emulator/child_process.h).
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "lab/bed/program_folder.h"
#include "lab/emulator/child_process.h"
#include "transport/tls/url.h"

namespace qvid::lab {

class BrokerProgram {
 public:
  // Listens when it is there, on a free port of `place`. `arguments`: of `qvid broker`, beside the
  // address. Throws std::runtime_error where it does not start, and where `stop` asks for the end.
  BrokerProgram(std::vector<std::string> arguments, const std::stop_token& stop,
                const ProgramPlace& place = {});

  // Address, and the fingerprint of its key; both stay when it starts again.
  const paceline::Url& url() const { return url_; }
  int pid() const { return process_.pid(); }
  void signal(int number) const { process_.signal(number); }
  // It has logged that, or does within ProgramFolder::kStartTime. Throws as above.
  void await_in_log(const std::string& text, const std::stop_token& stop);
  // SIGKILL; it is no more when this is back.
  void kill();
  // SIGTERM; it has drained and is no more when this is back. Throws as above, and where it has not ended
  // within that.
  void drain(Duration at_most, const std::stop_token& stop);
  // After either: again, at the same address. Throws as above.
  void start(const std::stop_token& stop);

 private:
  std::string await(const std::stop_token& stop);

  const std::vector<std::string> arguments_;
  const ProgramPlace place_;
  ProgramFolder folder_;  // after the process
  paceline::Url url_;
  ChildProcess process_;
};

}  // namespace qvid::lab
