// A channel as its session's engine sees it: one socket to the peer, its greeting and its health.
#pragma once

#include <cstdint>
#include <optional>

#include "transport/wire/record.h"
#include "transport/wire/record_parser.h"

namespace paceline {

// Within its session; both ends use the same. The socket of the hello is the first.
using ChannelId = qvid::Number<struct ChannelIdTag, std::uint32_t>;
inline constexpr ChannelId kFirstChannel{0};
// None of them: messages that go by datagrams (datagram_path.h).
inline constexpr ChannelId kDatagrams{0xffffffff};

struct Channel {
  ChannelId id;
  RecordParser parser;
  std::uint32_t segment = 0;       // its largest, where the client has limited it
  std::optional<Record> greeting;  // to be written, behind the preamble
  bool open = false;               // both ends have greeted
  bool has_content = false;        // the peer has activated it, ever
  bool abandoned = false;          // failed, and kept since hardly another is left
  bool close_due = false;
  std::optional<std::uint64_t> reply_due;  // to a probe
  std::optional<std::uint64_t> lane_ack_due;
  bool probe_due = false;
  std::uint64_t probes = 0;
  Timestamp since;
  Timestamp last_heard;
  Timestamp last_probe;

  bool small() const { return segment != 0; }
};

// Which numbers of a session's channels were used: each may be bound once, in about the order of
// their numbers, so that a bind that was recorded cannot be played again (the window of RFC 4303
// section 3.4.3).
class UsedChannels {
 public:
  // True: it was not used, and now it is.
  bool use(std::uint32_t channel) {
    if (channel == 0) return false;  // the first channel's, which has no bind
    if (channel > highest_) {
      const std::uint32_t ahead = channel - highest_;
      seen_ = ahead < 64 ? seen_ << ahead | 1 : 1;
      highest_ = channel;
      return true;
    }
    const std::uint32_t behind = highest_ - channel;
    if (behind >= 64 || (seen_ >> behind & 1) != 0) return false;
    seen_ |= std::uint64_t{1} << behind;
    return true;
  }

 private:
  std::uint32_t highest_ = 0;
  std::uint64_t seen_ = 0;  // bit i: highest_ - i was used
};

}  // namespace paceline
