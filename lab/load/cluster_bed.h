// Three sites with a node of a cluster and a server of NATS each, which are one directory; and programs of the
// product at these nodes, which run at their site, too:
//
//   site a: qvid broker, nats-server, parties ---- link ---- middle ---- link ---- site b: ...
//
// The destructor kills all. Thread: one, which must outlive what runs (lab/emulator/child_process.h).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lab/bed/program_folder.h"
#include "lab/emulator/sites.h"
#include "lab/load/broker_program.h"
#include "lab/load/nats_program.h"

namespace qvid::lab {

class ClusterBed {
 public:
  static constexpr std::array<const char*, 3> kNodes{"a", "b", "c"};
  // Of each site; from one to another a packet takes twice that.
  static constexpr const char* kLink = "rate=100mbit delay=5ms queue=100ms";
  static constexpr Duration kBetweenSites = std::chrono::milliseconds(10);

  // Nodes and directory are there. Throws std::runtime_error where they are not to be had, and where
  // `stop`, which outlives this, asks for the end; so do the others.
  explicit ClusterBed(const std::stop_token& stop);

  // Of that site; again, as it was.
  void kill_nats(std::size_t site) { nats_[site]->kill(); }
  void start_nats(std::size_t site) { nats_[site]->start(stop_); }
  const BrokerProgram& node(std::size_t number) const { return *nodes_[number]; }
  const NetNamespace& site(std::size_t node) const { return sites_.site(node); }
  // What that node says for Prometheus.
  std::string metrics(std::size_t node) const;
  void cut(std::size_t node, Duration length) { sites_.cut(node, length); }
  void kill(std::size_t number) { nodes_[number]->kill(); }
  // Drained, ended, and a node again.
  void restart(std::size_t number);

  void publish(const std::string& name, std::size_t node);
  void watch(const std::string& name, std::size_t node, const std::string& who);
  // A party of a call. What others send is decoded in its own process: as nine machines would start theirs
  // at once, these two cores cannot.
  void call(const std::string& name, std::size_t node);
  // All who watch have been shown something.
  void await_pictures();
  // A new one, who comes in or is told why not: its exit code, or empty where it is in by then.
  std::optional<int> newcomer(std::size_t node, Duration at_most);
  // All end, and have written what they showed.
  void end();

  // Once they have ended: the longest gap between two pictures that it was shown, of that one or of anybody,
  // ms; where the last one is long before `to`, until that.
  double gap_ms(const std::string& of, Timestamp from, Timestamp to,
                const std::string& whose = {}) const;

  void wait(Duration time) const;

 private:
  std::string url(std::size_t node) const;
  void launch(const std::string& name, std::size_t node, std::vector<std::string> command);
  std::string log_of(const std::string& name) const;

  const std::stop_token& stop_;
  ProgramFolder folder_;  // after its programs
  Sites sites_;
  std::vector<std::unique_ptr<NatsProgram>> nats_;
  std::vector<std::unique_ptr<BrokerProgram>> nodes_;
  std::vector<std::string> watching_;
  struct Program {
    std::string name;
    ChildProcess process;
  };
  std::vector<Program> programs_;
  int newcomers_ = 0;
};

}  // namespace qvid::lab
