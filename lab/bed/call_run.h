// A call through a broker, each party behind a link of its own: `qvid broker` at the far end that
// all links share, and a `qvid call` at the near end of each.
//
//   near (10.77.0.1)  qvid call ---- link ----
//   near (10.77.1.1)  qvid call ---- link ---- far: qvid broker
//   ...
//
// The broker's key is made at its start, and the parties trust the fingerprint that it says.
// Thread: one, which must outlive what runs (lab/emulator/child_process.h).
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace qvid::lab {

struct CallParty {
  std::string name{};
  std::string link{};  // as `qvid-lab run --link` takes it
};

struct CallSpec {
  std::vector<CallParty> parties{};      // 2..kMostParties
  std::vector<std::string> arguments{};  // of each `qvid call`, beside those that every run gives
  Duration duration = Duration(20'000'000'000);  // of each party's membership
  std::filesystem::path screenshots{};  // a folder for NAME.png at the end; empty: no windows
};

inline constexpr std::size_t kMostParties = 8;

// What one party was shown of another.
struct SeenParty {
  std::string name{};
  double shown = 0;  // frames
  double lost = 0;
  double full = 0;            // of those shown, with all layers, 0..1
  double longest_gap_ms = 0;  // between two frames shown
};

struct CallPartyResult {
  std::string name{};
  std::string link{};
  double published = 0;  // frames
  std::vector<SeenParty> seen{};
};

// All of the others once each, in the order of the parties; a party that was not seen has shown 0.
// Error: what a program said that did not start, or did not end well.
Result<std::vector<CallPartyResult>> run_call(const CallSpec& spec, const std::stop_token& stop);

}  // namespace qvid::lab
