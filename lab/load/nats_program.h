// `nats-server` with JetStream as a process of its own: the directory of a cluster of
// brokers. What it holds stays when it is killed and started again.
//
// The destructor kills it. Thread: the one that made it must outlive it
// (lab/emulator/child_process.h).
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "lab/bed/program_folder.h"
#include "lab/emulator/child_process.h"

namespace qvid::lab {

class NatsProgram {
 public:
  // Where it is installed; empty: nowhere.
  static std::string program();

  // Is ready when it is there, on a free port of `place`. `arguments`: of nats-server, beside those for
  // that and for JetStream. Throws std::runtime_error where it does not start, and where `stop` asks for
  // the end.
  explicit NatsProgram(const std::stop_token& stop, const ProgramPlace& place = {},
                       std::vector<std::string> arguments = {});

  int pid() const { return process_.pid(); }
  std::string url() const { return "nats://" + place_.host + ":" + port_; }
  // SIGKILL; it is no more when this is back.
  void kill();
  // After that: again, on the same port. Throws as above.
  void start(const std::stop_token& stop);

 private:
  const ProgramPlace place_;
  const std::vector<std::string> arguments_;
  ProgramFolder folder_;  // after the process
  std::string port_ = "-1";
  ChildProcess process_;
};

}  // namespace qvid::lab
