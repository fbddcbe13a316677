#include "app/reception/late_sound.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

using namespace std::chrono_literals;

TEST(LateSound, IsARepairLateWhereTcpCarriesItAndThePathIsInTrouble) {
  paceline::SessionSignals signals;
  signals.rtt = 100ms;
  EXPECT_EQ(late_sound(signals), 0ms) << "nothing was lost";
  signals.peer_in_trouble = true;
  EXPECT_EQ(late_sound(signals), 185ms)
      << "60 ms until it is missed, 1.25 round trips to repair it";
  signals.udp = true;
  EXPECT_EQ(late_sound(signals), 0ms) << "a datagram waits for no repair";
}

}  // namespace
}  // namespace qvid::app
