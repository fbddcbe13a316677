// The wall clock by which a broker looks at tokens: it is not set back. What has ended stays so, and
// nobody's token lives again because the machine's clock was wrong, or was made so.
//
//   now := the later of  the wall clock,  what it said before + the time since on the steady clock
//
// A clock that is set forward ends tokens early, and one that is then set right again leaves them
// ended, until there is a new TokenClock: a broker's begins anew when it reads its configuration.
//
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <optional>

#include "base/units.h"
#include "pubsub/token/token.h"

namespace qps {

class TokenClock {
 public:
  WallTime now(WallTime wall, qvid::Timestamp steady) {
    if (began_) {
      const auto since = std::chrono::floor<std::chrono::seconds>(steady - began_->steady);
      if (wall < began_->wall + since) return began_->wall + since;
    }
    began_ = Both{wall, steady};
    return wall;
  }

 private:
  struct Both {
    WallTime wall;
    qvid::Timestamp steady;
  };
  std::optional<Both> began_;
};

}  // namespace qps
