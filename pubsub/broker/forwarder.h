// What one viewer is sent of one publisher's items: its own numbering, importance and deadlines,
// and only what it can use. Source: 000 chapter 6 (a viewer does for its subscriber what Live-In
// does for a client); how it decides knows no codec, only the envelope.
//
//   fragment of the source --> begun? usable? --> send at once     (cut-through)
//   a message ended undelivered --> the part and all that needs it --> cancels
//
// Begins, and begins again after a pause or a break, at an item that says one can begin there;
// numbers count on without a gap. A part's deadline is when it falls due here, the window later,
// and for as long as later items need it. A slow viewer skips: what its deadline ends is lost, and
// what needs it goes too; it holds back nobody.
//
// Bounds: the items of the log; parts under way: those of kItems items. Pure. Thread: one at a
// time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/dependency_rule.h"
#include "pubsub/broker/item_log.h"

namespace qps {

class Forwarder {
 public:
  // `log`: of the source; it outlives this. `window`: time between an item's due time and when it
  // must have gone out.
  Forwarder(const ItemLog& log, Duration window)
      : rule_(log.dependencies()), log_(&log), window_(window) {}

  struct Send {
    FragmentId id;  // the source's
    std::uint8_t importance = 0;
    std::uint64_t position = 0;  // this viewer's
    Timestamp deadline{};
  };
  // A fragment of the source came: the log has its part. Empty: nothing is to be sent. What is sent
  // is answered by on_ended.
  std::optional<Send> on_fragment(const FragmentId& id);
  // It arrived; or was cancelled or refused, and then gives what is to be cancelled for it.
  std::vector<FragmentId> on_ended(const FragmentId& id, bool delivered);

  // All that was sent is void: begins again at a beginning. Gives what is to be cancelled.
  std::vector<FragmentId> restart();
  void set_window(Duration window) { window_ = window; }
  bool begun() const { return first_.has_value(); }
  // It cannot begin, or go on, without a beginning.
  bool wants_beginning() const { return !first_ || broken_ != 0; }
  // It was sent, and nothing that it needs was lost since.
  bool usable(const PartId& part) const { return rule_.usable(part); }

 private:
  std::vector<FragmentId> cancel(const PartId& part);
  void note(const PartId& part, const Envelope& envelope, bool lost);
  void note_lost(const PartId& part);

  qvid::DependencyRule rule_;
  const ItemLog* log_;
  Duration window_;
  std::optional<std::int64_t> first_;  // the source's number of this viewer's item 0
  std::int64_t next_ = 0;              // this viewer's number for a new beginning
  // A bit for each part whose latest that is vital and of use to later items was lost.
  std::uint16_t broken_ = 0;
  // Fragments under way, a bit for each, of parts that have any.
  std::map<PartId, std::uint64_t> under_way_;
};

}  // namespace qps
