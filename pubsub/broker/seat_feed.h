// One seat of a viewer: which publication it shows, on which stream of the subscriber's session.
//
//   show(B) while A is shown --> B is asked for a beginning; A goes on
//   B's beginning comes      --> A's stream is closed, B's is opened and told (Seat), B goes on
//
// So a switch costs no set-up, and the seat never stands still or shows what is broken. Where
// nothing is shown, B is told at once.
//
// Ownership: the viewer's; it takes itself off publications. Thread: the broker's.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "pubsub/broker/forwarder.h"
#include "pubsub/broker/port.h"
#include "pubsub/broker/publication.h"
#include "pubsub/broker/seat_tally.h"
#include "transport/rate/receiver_rate.h"

namespace qps {

class SeatFeed {
 public:
  // What is under way: few, but of a viewer that is slow as many as the publisher likes, so no
  // container in which taking one away costs the length.
  struct Under {
    SeatFeed* seat = nullptr;
    FragmentId id;
    Timestamp came;  // at the broker
    paceline::DeliveryMeter::Ticket ticket = 0;
  };
  using Messages = std::unordered_map<paceline::MessageId, Under>;
  // `on_seated`: the seat shows that publication from now on, on that stream; nullptr: none. Both
  // `port` and `messages`, of all seats of the client, outlive this.
  SeatFeed(Port& port, Messages& messages, Duration window,
           std::function<void(const Publication*, paceline::StreamId)> on_seated);
  ~SeatFeed();
  SeatFeed(const SeatFeed&) = delete;
  SeatFeed& operator=(const SeatFeed&) = delete;

  // What it shall show; nullptr: nothing.
  void show(Publication* publication);
  // A publication ends, or begins anew under another stream.
  void on_publication_gone(const Publication& publication);
  void pause(bool on);
  void set_window(Duration window);

  // A fragment of a publication that this is attached to, which the log knows.
  void on_fragment(Publication& from, const FragmentId& id, const Payload& payload, Timestamp now);
  void on_ended(const Under& under, const paceline::MessageEnded& ended, Timestamp now);
  // Every ReceiverRate::kInterval. Of the one that something else begins in too little is known.
  void measure(Timestamp now) {
    if (shown_ == nullptr || paused_ || std::exchange(begins_, false)) return;
    rate_.on_measured(meter_, port_.round_trip(), now);
  }

  // Of all that was under way lately: what part of the client's path it takes.
  ByteCount offered(Timestamp now) const {
    return meter_.read(now, paceline::DeliveryMeter::kMemory, {}).offered;
  }
  // What the transport says of the path, as far as it is this seat's.
  void on_path_rate(const paceline::PathRate& path, Timestamp now) {
    rate_.on_told(path, now);
    if (path.reason == paceline::PathRate::Reason::kRestored) meter_.clear();
  }

  Publication* shown() const { return shown_; }
  const Publication* awaited() const { return next_; }  // to be shown as soon as it begins
  bool paused() const { return paused_; }
  // It waits for a beginning of that publication, to begin with, to switch, or to go on.
  bool wants_beginning(const Publication& of) const;
  // It shows that publication, and has begun: an encoder that knows what was lost can mend it.
  bool mends(const Publication& of) const { return shown_ == &of && forwarder_->begun(); }
  // What it, or the weakest and the best behind it, can take; zero: not known.
  struct Range {
    DataRate least;
    DataRate most;
    bool contended = false;  // beside a competitor
  };
  Range can_take(Timestamp now) const {
    const DataRate path = rate_.rate();
    const bool contended = rate_.contended(now);
    if (!behind_) return {path, path, contended};
    if (path == DataRate()) return *behind_;
    return {std::min(path, behind_->least), std::min(path, behind_->most),
            contended || behind_->contended};
  }
  // Of a seat of another node: what those behind it can take, and that one of them needs a beginning.
  void set_behind(const Range& behind) { behind_ = behind; }
  void ask_beginning() { asked_ = shown_ != nullptr; }
  bool of_node() const { return behind_.has_value(); }
  Duration window() const { return window_; }
  // Since it was last taken, or something else is shown.
  SeatTally take_tally() { return std::exchange(tally_, {}); }

 private:
  void seat(Publication* publication);
  void leave();
  void detach(Publication*& publication);
  void begin();
  void note_lost(const PartId& part);
  void cancel(const std::vector<FragmentId>& fragments);

  Port& port_;
  Messages& messages_;
  Duration window_;
  std::function<void(const Publication*, paceline::StreamId)> on_seated_;
  Publication* shown_ = nullptr;
  Publication* next_ = nullptr;  // shown as soon as it begins
  paceline::StreamId stream_;
  std::optional<Forwarder> forwarder_;
  std::map<FragmentId, paceline::MessageId> pending_;
  paceline::DeliveryMeter meter_;  // of what it shows
  paceline::ReceiverRate rate_;
  bool begins_ = false;  // something else is shown since it was measured
  std::optional<Range> behind_;
  bool asked_ = false;
  SeatTally tally_;
  bool paused_ = false;
};

}  // namespace qps
