// The two ends of a flow in the bed: the near one sends, the far one receives. One kind of
// transport each behind these interfaces.
//
// Thread: each end lives on the event loop of its side, and is made, begun, sampled, ended and
// destroyed there. fill() is called when both loops have stopped.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "lab/bed/adu.h"
#include "lab/bed/run_clock.h"
#include "lab/bed/run_result.h"
#include "lab/bed/run_spec.h"

namespace qvid::lab {

class NearEnd {
 public:
  NearEnd() = default;
  NearEnd(const NearEnd&) = delete;
  NearEnd& operator=(const NearEnd&) = delete;
  virtual ~NearEnd() = default;

  virtual void begin() = 0;  // connects and sends
  virtual void end() = 0;    // sends no more, and closes; may be called twice
  // Every kSampleEvery while it runs: for what is measured over time.
  virtual void sample(Timestamp /*now*/) {}
  virtual void fill(FlowResult& result) const = 0;
  // Of kGoddard: takes a frame to be sent; false: there is no room for it yet.
  virtual bool offer(const Adu& /*frame*/, Timestamp /*now*/) { return false; }
  // Of kVideo: frames captured in the measured time.
  virtual std::uint32_t frames() const { return 0; }
};
inline constexpr Duration kSampleEvery = Duration(2'000'000);

class FarEnd {
 public:
  FarEnd() = default;
  FarEnd(const FarEnd&) = delete;
  FarEnd& operator=(const FarEnd&) = delete;
  virtual ~FarEnd() = default;

  virtual void end() = 0;
  // `frames` of kVideo were captured in the measured time.
  virtual void fill(FlowResult& result, std::uint32_t frames) const = 0;
};

// What an end needs to know. Ports are the same at both ends of a flow.
struct FlowSetting {
  FlowSpec spec;
  RunClock clock;
  std::uint16_t port = 0;
  std::uint16_t control_port = 0;  // of kGoddard
  std::uint64_t seed = 1;
  Duration clock_ahead{};  // of a session's host, of the machine's
  UnitListener on_unit{};  // of the far end, beside its ledger
};

// Nothing, or why there is no such flow: an unknown sender, or one that cannot carry the workload.
std::optional<Error> check_sender(const FlowSpec& spec);

// Make the ends that spec.sender names; the far one listens at once. Throw std::runtime_error (what
// is not possible here) and std::invalid_argument (what check_sender says).
std::unique_ptr<NearEnd> make_near_end(boost::asio::io_context& io, const FlowSetting& setting);
std::unique_ptr<FarEnd> make_far_end(boost::asio::io_context& io, const FlowSetting& setting);

}  // namespace qvid::lab
