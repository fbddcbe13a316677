// The directory's store in virtual time: one for all nodes, as a bucket of NATS is, with a way to
// each node that takes time, loses answers, and can be cut.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pubsub/cluster/directory.h"

namespace qps {

inline constexpr qvid::Timestamp kClusterBegin{std::chrono::seconds(1000)};

class StoreModel {
 public:
  struct Value {
    std::string text;
    std::uint64_t revision = 0;
  };
  struct News {
    std::string key;
    std::optional<std::string> value;  // empty: removed
    std::uint64_t revision = 0;
  };

  std::pair<DirectoryOutcome, std::uint64_t> carry_out(const DirectoryOp& op) {
    const auto it = values_.find(op.key);
    const bool fits = op.kind == DirectoryOp::Kind::kCreate
                          ? it == values_.end()
                          : it != values_.end() && it->second.revision == op.revision;
    if (!fits) return {DirectoryOutcome::kConflict, 0};
    ++revision_;
    if (op.kind == DirectoryOp::Kind::kRemove) {
      values_.erase(it);
      log_.push_back({op.key, std::nullopt, revision_});
    } else {
      values_[op.key] = {op.value, revision_};
      log_.push_back({op.key, op.value, revision_});
    }
    return {DirectoryOutcome::kDone, revision_};
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

 private:
  std::map<std::string, Value> values_;
  std::vector<News> log_;
  std::uint64_t revision_ = 0;
  int epoch_ = 0;
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

  Directory& directory() { return directory_; }
  bool reached = true;                     // the store can be
  qvid::Duration delay{};                  // one way
  std::map<NameKey, std::string> members;  // who was let in, by `self`
  std::map<std::uint64_t, std::pair<NameKey, std::string>> claims;
  std::map<std::string, std::set<std::string>> locks;  // as was told
  int lost = 0;
  std::string reason;  // of the last displacement
  int displaced = 0;   // times

  void step(qvid::Timestamp now, std::mt19937_64& random, int lost_in_thousand) {
    connect(now);
    hear(now);
    directory_.poll(now);
    for (DirectoryOp& op : directory_.take_ops()) send(std::move(op), now);
    answer(now, random, lost_in_thousand);
    take_events();
  }
  void take_events() {
    for (const DirectoryEvent& event : directory_.take_events()) {
      if (const auto* done = std::get_if<ClaimDone>(&event)) {
        const auto it = claims.find(done->claim);
        if (it == claims.end()) continue;
        if (done->error.empty()) members.insert(it->second);
        claims.erase(it);
      } else if (const auto* gone = std::get_if<NameLost>(&event)) {
        members.erase(gone->key);
        ++lost;
      } else if (const auto* lock = std::get_if<LockChanged>(&event)) {
        if (lock->let_in) {
          locks[lock->room] = *lock->let_in;
        } else {
          locks.erase(lock->room);
        }
      } else {
        ++displaced;
        reason = std::get<NodeDisplaced>(event).reason;
      }
    }
  }
  void claim(const NameKey& key, const std::string& self, qvid::Timestamp now) {
    claims[directory_.claim(key, self, now)] = {key, self};
    take_events();
  }
  // A copy: it may be the one that goes.  NOLINTNEXTLINE(performance-unnecessary-value-param)
  void leave(NameKey key) {
    if (members.erase(key) > 0) directory_.release(key);
  }

 private:
  struct Waiting {
    DirectoryOp op;
    qvid::Timestamp at;
    bool done = false;
    DirectoryOutcome outcome = DirectoryOutcome::kFailed;
    std::uint64_t revision = 0;
  };

  void connect(qvid::Timestamp now) {
    if (!reached) {
      connected_ = false;
      return;
    }
    if (connected_ && epoch_ == store_.epoch()) return;
    connected_ = true;
    epoch_ = store_.epoch();
    directory_.on_snapshot_begin();
    for (const auto& [key, value] : store_.values()) {
      directory_.on_entry(key, value.text, value.revision, now);
    }
    directory_.on_snapshot_end(now);
    heard_ = store_.log().size();
    news_.clear();
  }
  void hear(qvid::Timestamp now) {
    if (!connected_) return;
    for (; heard_ < store_.log().size(); ++heard_) {
      news_.emplace_back(now + delay, store_.log()[heard_]);
    }
    while (!news_.empty() && news_.front().first <= now) {
      const StoreModel::News news = std::move(news_.front().second);
      news_.pop_front();
      if (news.value) {
        directory_.on_entry(news.key, *news.value, news.revision, now);
      } else {
        directory_.on_removed(news.key, news.revision, now);
      }
    }
  }
  void send(DirectoryOp op, qvid::Timestamp now) {
    waiting_.push_back({.op = std::move(op), .at = now + delay});
  }
  void answer(qvid::Timestamp now, std::mt19937_64& random, int lost_in_thousand) {
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
          std::tie(each.outcome, each.revision) = store_.carry_out(each.op);
          if (loses()) each.outcome = DirectoryOutcome::kFailed;
        }
        each.at =
            now + (each.outcome == DirectoryOutcome::kFailed ? Directory::kAnswerLimit : delay);
        continue;
      }
      const Waiting over = std::move(each);
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      directory_.on_outcome(over.op.id, over.outcome, over.revision, now);
    }
  }

  StoreModel& store_;
  Directory directory_;
  bool connected_ = false;
  int epoch_ = -1;
  std::size_t heard_ = 0;
  std::deque<std::pair<qvid::Timestamp, StoreModel::News>> news_;
  std::vector<Waiting> waiting_;
};

}  // namespace qps
