// Flows as a person writes them, separated by commas:
//
//   SENDER[:COUNT][@START[-STOP]][/WORKLOAD[/SETTING]...]
//   pace+fo:8,cubic:2@20s-60s/greedy/farther=90ms,udp/cbr=2mbit
//
// WORKLOAD: greedy; download; video=RATE; chunks=RATE; frames=RATE; cbr=RATE; pulses=RATE; mice; web;
// goddard. Without it a video of 5mbit. SETTING: farther=TIME; clock-error=TIME.
// Senders are those of FlowSpec.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/bed/run_spec.h"

namespace qvid::lab {

// The error names the part that is wrong and what may stand there.
Result<std::vector<FlowSpec>> parse_flow_specs(std::string_view text);

}  // namespace qvid::lab
