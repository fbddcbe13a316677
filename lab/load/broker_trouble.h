// What is done to a broker while a room of it goes on, by an adversary or by a fault of a machine. It
// ends with this object.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lab/bed/program_folder.h"
#include "lab/bed/run_result.h"
#include "lab/bed/run_spec.h"
#include "lab/load/adversary.h"
#include "lab/load/broker_program.h"
#include "lab/load/machine_fault.h"

namespace qvid::lab {

class Trouble {
 public:
  // `io` outlives this. Throws std::runtime_error where it is not to be had here.
  Trouble(BrokerTrouble kind, boost::asio::io_context& io);

  // Calls `f` where the broker and its room have to be, on a thread that all other calls come from.
  void run(const std::function<void()>& f) const;
  ProgramPlace place() const { return fault_ ? fault_->place() : ProgramPlace(); }
  // Of the broker, beside its limits.
  std::vector<std::string> arguments() const;
  // All are members of that room. An adversary begins at once, a fault a second behind `warm_up`.
  // `broker` and `trust` are there until the room's end.
  void begin(BrokerProgram& broker, const std::string& room, const paceline::TrustOptions& trust,
             Duration warm_up);
  // The room, of which all were members, is at its end: what is known of it. Throws std::runtime_error
  // where nothing happened.
  void tell(BrokerTrialResult& result, const std::stop_token& stop);

 private:
  const BrokerTrouble kind_;
  const std::unique_ptr<MachineFault> fault_;  // null: it is none
  std::optional<Adversary> adversary_;
};

}  // namespace qvid::lab
