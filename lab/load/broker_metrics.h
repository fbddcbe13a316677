// What a broker says of itself for Prometheus, in a namespace where nobody else has its port.
#pragma once

#include <string>

namespace qvid::lab {

inline constexpr const char* kMetricsAt = "127.0.0.1:9470";  // of `qvid broker --metrics`

// Of the broker in the network namespace of this thread, which waits for it,
// for two seconds at the most; empty where there is none.
std::string read_metrics();
// The value of that line ("qvid_broker_clients"), labels included; 0 where there is none.
double metric(const std::string& page, const std::string& line);

}  // namespace qvid::lab
