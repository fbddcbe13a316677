// The directory of a cluster in virtual time: one store for all nodes, as a bucket of NATS is, whose
// servers take time for each change and for each node that is told; and the nodes with their ways to it,
// which take time, lose answers and can be cut. What a node decides is the product's (qps::Directory).
//
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/duration_histogram.h"
#include "pubsub/cluster/directory.h"

namespace qvid::lab {

inline constexpr Timestamp kClusterBegin{std::chrono::seconds(1000)};

class StoreModel {
 public:
  // Of its servers; nothing: it answers at once.
  struct Costs {
    Duration write{};  // for a change
    Duration tell{};   // for a node that is told of one, or reads one in a snapshot
  };
  struct Value {
    std::string text;
    std::uint64_t revision = 0;
  };
  struct News {
    std::string key;
    std::optional<std::string> value;  // empty: removed
    std::uint64_t revision = 0;
    Timestamp at{};  // when all nodes have been told
  };

  void set_costs(Costs costs) { costs_ = costs; }

  std::pair<qps::DirectoryOutcome, std::uint64_t> carry_out(const qps::DirectoryOp& op,
                                                            Timestamp now = {}) {
    const auto it = values_.find(op.key);
    const bool fits = op.kind == qps::DirectoryOp::Kind::kCreate
                          ? it == values_.end()
                          : it != values_.end() && it->second.revision == op.revision;
    work(now, costs_.write);
    if (!fits) return {qps::DirectoryOutcome::kConflict, 0};
    ++revision_;
    work(now, costs_.tell * listeners);
    if (op.kind == qps::DirectoryOp::Kind::kRemove) {
      values_.erase(it);
      log_.push_back({op.key, std::nullopt, revision_, busy_until_});
    } else {
      values_[op.key] = {op.value, revision_};
      log_.push_back({op.key, op.value, revision_, busy_until_});
    }
    return {qps::DirectoryOutcome::kDone, revision_};
  }
  // One node is about to read all there is.
  void begin_snapshot(Timestamp now) {
    work(now, costs_.tell * static_cast<std::int64_t>(values_.size()));
  }
  // The bucket is deleted, and made anew.
  void lose_all() {
    values_.clear();
    revision_ = 0;
    ++epoch_;
    log_.clear();
  }
  const std::map<std::string, Value>& values() const { return values_; }
  const std::vector<News>& log() const { return log_; }
  int epoch() const { return epoch_; }
  // When what it was asked for is done.
  Timestamp busy_until() const { return busy_until_; }
  Duration worked() const { return worked_; }

  std::int64_t listeners = 0;  // nodes that are told

 private:
  void work(Timestamp now, Duration time) {
    busy_until_ = std::max(busy_until_, now) + time;
    worked_ += time;
  }

  Costs costs_;
  std::map<std::string, Value> values_;
  std::vector<News> log_;
  std::uint64_t revision_ = 0;
  int epoch_ = 0;
  Timestamp busy_until_{};
  Duration worked_{};
};

// A node, and its way to the store.
class NodeModel {
 public:
  NodeModel(StoreModel& store, const std::string& name, int incarnation)
      : store_(store),
        directory_(name, {.incarnation = name + std::to_string(incarnation),
                          .address = "127.0.0.1:" + std::to_string(7000 + incarnation),
                          .fingerprint = {},
                          .secret = "s",
                          .region = {}}) {}

  ~NodeModel() {
    if (connected_) --store_.listeners;
  }
  NodeModel(const NodeModel&) = delete;
  NodeModel& operator=(const NodeModel&) = delete;

  qps::Directory& directory() { return directory_; }
  const qps::Directory& directory() const { return directory_; }
  bool reached = true;  // the store can be
  Duration delay{};     // one way
  struct Claim {
    qps::NameKey key;
    std::string self;
    Timestamp since;
  };
  std::map<qps::NameKey, std::string> members;         // who was let in, by `self`
  std::map<std::uint64_t, Claim> claims;               // not answered
  DurationHistogram waited;                            // of claims that were let in
  int refused = 0;                                     // claims, ever
  std::map<std::string, std::set<std::string>> locks;  // as was told
  int lost = 0;                                        // names, ever
  std::string reason;                                  // of the last displacement
  int displaced = 0;                                   // times

  void step(Timestamp now, std::mt19937_64& random, int lost_in_thousand) {
    connect(now);
    hear(now);
    directory_.poll(now);
    for (qps::DirectoryOp& op : directory_.take_ops()) {
      waiting_.push_back({.op = std::move(op), .at = now + delay});
    }
    answer(now, random, lost_in_thousand);
    take_events(now);
  }
  void claim(const qps::NameKey& key, const std::string& self, Timestamp now) {
    claims[directory_.claim(key, self, now)] = {.key = key, .self = self, .since = now};
    take_events(now);
  }
  // A copy: it may be the one that goes.  NOLINTNEXTLINE(performance-unnecessary-value-param)
  void leave(qps::NameKey key) {
    if (members.erase(key) > 0) directory_.release(key);
  }
  bool connected() const { return connected_; }
  std::size_t news() const { return news_; }  // that it was told, ever

 private:
  struct Waiting {
    qps::DirectoryOp op;
    Timestamp at;
    bool done = false;
    qps::DirectoryOutcome outcome = qps::DirectoryOutcome::kFailed;
    std::uint64_t revision = 0;
  };

  void take_events(Timestamp now) {
    for (const qps::DirectoryEvent& event : directory_.take_events()) {
      if (const auto* done = std::get_if<qps::ClaimDone>(&event)) {
        const auto it = claims.find(done->claim);
        if (it == claims.end()) continue;
        if (done->error.empty()) {
          members.emplace(it->second.key, it->second.self);
          waited.add(now - it->second.since);
        } else {
          ++refused;
        }
        claims.erase(it);
      } else if (const auto* gone = std::get_if<qps::NameLost>(&event)) {
        members.erase(gone->key);
        ++lost;
      } else if (const auto* lock = std::get_if<qps::LockChanged>(&event)) {
        if (lock->let_in) {
          locks[lock->room] = *lock->let_in;
        } else {
          locks.erase(lock->room);
        }
      } else {
        ++displaced;
        reason = std::get<qps::NodeDisplaced>(event).reason;
      }
    }
  }
  void connect(Timestamp now) {
    if (!reached) {
      if (connected_) --store_.listeners;
      connected_ = false;
      reading_.reset();
      return;
    }
    if (connected_ && epoch_ == store_.epoch()) return;
    if (!reading_) {
      store_.begin_snapshot(now);
      reading_ = std::max(now, store_.busy_until());
    }
    if (now < *reading_) return;
    reading_.reset();
    if (!connected_) ++store_.listeners;
    connected_ = true;
    epoch_ = store_.epoch();
    directory_.on_snapshot_begin();
    for (const auto& [key, value] : store_.values()) {
      directory_.on_entry(key, value.text, value.revision, now);
    }
    directory_.on_snapshot_end(now);
    heard_ = store_.log().size();
  }
  void hear(Timestamp now) {
    if (!connected_) return;
    // All come by one way, in order.
    for (; heard_ < store_.log().size(); ++heard_) {
      const StoreModel::News& news = store_.log()[heard_];
      if (news.at + delay > now) return;
      ++news_;
      if (news.value) {
        directory_.on_entry(news.key, *news.value, news.revision, now);
      } else {
        directory_.on_removed(news.key, news.revision, now);
      }
    }
  }
  void answer(Timestamp now, std::mt19937_64& random, int lost_in_thousand) {
    const auto loses = [&] { return static_cast<int>(random() % 1000) < lost_in_thousand; };
    for (std::size_t i = 0; i < waiting_.size();) {
      Waiting& each = waiting_[i];
      if (each.at > now) {
        ++i;
        continue;
      }
      if (!each.done) {
        each.done = true;
        if (connected_ && !loses()) {
          std::tie(each.outcome, each.revision) = store_.carry_out(each.op, now);
          if (loses()) each.outcome = qps::DirectoryOutcome::kFailed;
        }
        const Timestamp answered = std::max(now, store_.busy_until()) + delay;
        const Timestamp given_up = now + qps::Directory::kAnswerLimit;
        if (answered > given_up) each.outcome = qps::DirectoryOutcome::kFailed;
        each.at = each.outcome == qps::DirectoryOutcome::kFailed ? given_up : answered;
        continue;
      }
      const Waiting over = std::move(each);
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      directory_.on_outcome(over.op.id, over.outcome, over.revision, now);
    }
  }

  StoreModel& store_;
  qps::Directory directory_;
  bool connected_ = false;
  std::optional<Timestamp> reading_;  // a snapshot, until then
  int epoch_ = -1;
  std::size_t heard_ = 0;
  std::size_t news_ = 0;
  std::vector<Waiting> waiting_;
};

}  // namespace qvid::lab
