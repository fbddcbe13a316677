// Lines that change a running link:
//
//   [up:|down:]rate 600kbit      [up:|down:]delay 50ms      [up:|down:]loss 1%
//   [up:|down:]outage 20s        [up:|down:]drop-flow 7400 1s
//   wait 2s                      the lines after it come two seconds later
//
// Empty lines and what follows a # are passed over.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "lab/emulator/emulator.h"

namespace qvid::lab {

struct SetRate {
  DataRate rate;
};
struct SetDelay {
  Duration delay{};
};
struct SetLoss {
  double share = 0;
};
struct MakeOutage {
  Duration length{};
};
struct DropFlow {
  std::uint16_t port = 0;
  Duration length{};
};
struct Wait {
  Duration length{};
};

struct LinkCommand {
  std::variant<SetRate, SetDelay, SetLoss, MakeOutage, DropFlow, Wait> what;
  Way way = Way::kBoth;
};

// Nothing for a line without a command.
Result<std::optional<LinkCommand>> parse_command(std::string_view line);

// What `wait` means is up to the caller; here it does nothing.
void apply(const LinkCommand& command, Emulator& emulator);

}  // namespace qvid::lab
