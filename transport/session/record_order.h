// Which records may come on a channel, and when: greetings first and once, then the rest; content
// only behind an activate. Breaking it ends the session.
//
// Pure.
#pragma once

#include <optional>
#include <string>

#include "transport/send/channel.h"
#include "transport/session/session_config.h"

namespace paceline {

// Empty: the record may come now. Else what is wrong with it, in words for the close. `greeting`:
// the session is not established yet.
std::optional<std::string> out_of_place(const Record& record, const Channel& channel, Side side,
                                        bool greeting);

}  // namespace paceline
