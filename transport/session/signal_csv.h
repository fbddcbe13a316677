// Samples as lines of a CSV file, which `qvid mon` shows and any spreadsheet reads.
//
//   time_s,session,peer,rtt_ms,...,small_segments,queue_per_stream      one header line
//   12.300,1,192.0.2.1:7400,31.250,...,0,0:1200;2:64000                 one line a sample and
//   session
//
// The columns and their units are kSignalNames; queue_per_stream holds stream:bytes of the streams
// on which something waits. A reader (signal_reader.h) goes by the names, so columns may be added.
#pragma once

#include <string>
#include <string_view>

#include "transport/session/signal_sample.h"

namespace paceline {

// The columns that are no signal.
inline constexpr std::string_view kTimeColumn = "time_s";
inline constexpr std::string_view kSessionColumn = "session";
inline constexpr std::string_view kPeerColumn = "peer";
inline constexpr std::string_view kQueuesColumn = "queue_per_stream";

// With their newline.
std::string csv_header();
std::string csv_line(const SignalSample& sample);
// What every log of signals begins with.
std::string csv_beginning();
// As a name may stand in a line: without spaces, commas and quotes, cut where it is too long.
std::string csv_peer(std::string_view peer);

}  // namespace paceline
