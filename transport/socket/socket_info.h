// What the kernel knows of a TCP socket, and what is asked of it. Everything here is an aid: where
// the system lacks it, the functions say so and the session works without.
#pragma once

#include <optional>
#include <string>

#include "transport/control/controller.h"

namespace paceline {

// TCP_INFO (Linux; SIOCOUTQ beside it where the kernel is older than 4.19). Empty where there is
// none.
std::optional<SocketSample> sample_socket(int fd);

// Chooses the congestion control (cubic; reno where it is missing), never the system's default;
// turns Nagle's algorithm off, and where the kernel can, the shortest retransmission time-out down
// to 50 ms and (`paced`) its own pacing of segments on. The name of the congestion control in
// force; empty where it cannot be known.
std::string prepare_socket(int fd, bool paced);
// Later on, with the window as it is: the same, or the other way round for a slow start without HyStart,
// which Linux's reno does not have. Likewise the name.
std::string choose_congestion_control(int fd, bool no_hystart);

}  // namespace paceline
