// What a client may make the broker do. Thread: the broker's.
//
// A client's requests are counted, and so is the work of all that it sends, in units of about a
// microsecond of the rooms' thread. What comes beyond waits here in its order, its session is read
// no more meanwhile (Port::hold), and who goes on and on beyond is closed. So nobody has more than
// a part of the thread, and at once no more than kWork.burst and one message.
//
// Generous: a publisher of 60 pictures a second in two layers, with sound, to 255 viewers costs
// 150,000 units a second.
#pragma once

#include <deque>
#include <optional>

#include "base/token_bucket.h"
#include "transport/session/session_engine.h"

namespace qps {

struct ClientBudget {
  static constexpr qvid::TokenRate kWork{.per_second = 250'000, .burst = 50'000};
  // Units. A step of SQLite's machine, a fragment to a seat: one.
  static constexpr double kOfMessage = 2;
  static constexpr double kOfRequest = 20;
  static constexpr double kOfRequestByte = 0.05;
  static constexpr double kOfSeat = 10;        // given something else to show
  static constexpr double kOfCompiling = 500;  // a criterion

  // For how long the session is not read when something waits; said again at every poll.
  static constexpr qvid::Duration kHold = std::chrono::milliseconds(200);
  // Until who is beyond all the time is closed; after so long within it is forgotten.
  static constexpr qvid::Duration kPatience = std::chrono::seconds(10);
  static constexpr qvid::Duration kForgotten = std::chrono::seconds(1);
  // What may wait: more than comes from one session that is not read any more.
  static constexpr std::size_t kMaxWaiting = 32 * 1024;
  static constexpr qvid::ByteCount kMaxWaitingBytes{8 * 1024 * 1024};

  qvid::TokenBucket requests;
  qvid::TokenBucket work;
  std::deque<paceline::MessageArrived> waiting;
  qvid::ByteCount waiting_bytes;
  std::optional<qvid::Timestamp> beyond_since{};
  qvid::Timestamp beyond_last{};
};

}  // namespace qps
