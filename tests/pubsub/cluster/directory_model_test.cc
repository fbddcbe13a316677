// The directory's decisions in any order of joins, leaves, deaths, restarts, cuts and losses, in
// virtual time. QVID_MODEL_STEPS: how many steps in all (docs/develop.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "lab/load/store_model.h"

namespace qps {
namespace {

using qvid::lab::kClusterBegin;
using qvid::lab::NodeModel;
using qvid::lab::StoreModel;

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr qvid::Duration kStep = milliseconds(25);

class ModelCluster {
 public:
  explicit ModelCluster(std::uint64_t seed) : random_(seed), nodes_(3 + seed % 3) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) start(i);
  }

  void start(std::size_t i) {
    nodes_[i] = std::make_unique<NodeModel>(store_, "n" + std::to_string(i), ++incarnations_);
    nodes_[i]->delay = milliseconds(random_() % 60);
  }
  void run(qvid::Duration time) {
    for (const auto end = now_ + time; now_ < end;) step();
  }
  void step() {
    now_ += kStep;
    ++steps;
    for (auto& node : nodes_) {
      if (node) node->step(now_, random_, lost_in_thousand_);
    }
    if (twin_) twin_->step(now_, random_, lost_in_thousand_);
  }
  void disturb() {
    const std::size_t i = random_() % nodes_.size();
    NodeModel* const node = nodes_[i].get();
    const std::uint64_t what = random_() % 1000;
    if (node == nullptr) {
      if (what < 200) start(i);
    } else if (what < 500) {
      const NameKey key{.room = "r" + std::to_string(random_() % 3),
                        .name = "m" + std::to_string(random_() % 4)};
      node->claim(key, random_() % 3 == 0 ? "" : "self " + std::to_string(random_() % 2), now_);
    } else if (what < 520) {
      std::optional<std::set<std::string>> let_in;
      if (random_() % 3 != 0) let_in.emplace({"m" + std::to_string(random_() % 4)});
      node->directory().set_lock("r" + std::to_string(random_() % 3), let_in);
    } else if (what < 950) {
      if (node->members.empty()) return;
      auto it = node->members.begin();
      std::advance(it, static_cast<std::ptrdiff_t>(random_() % node->members.size()));
      node->leave(it->first);
    } else if (what < 960) {
      nodes_[i].reset();  // kill -9
    } else if (what < 985) {
      node->reached = !node->reached;
    } else if (what < 990) {
      lost_in_thousand_ = static_cast<int>(random_() % 200);
    } else if (what < 992) {
      store_.lose_all();
    } else if (what < 995) {  // another program under its name
      twin_ = std::make_unique<NodeModel>(store_, "n" + std::to_string(i), ++incarnations_);
    } else if (what < 997) {
      twin_.reset();
    }
  }
  // All can be reached again, and have the time that they are promised.
  void heal() {
    lost_in_thousand_ = 0;
    twin_.reset();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!nodes_[i]) start(i);
      nodes_[i]->reached = true;
    }
    run(seconds(36));  // of the dead a name ends after 13 s, and 10 s later the lock of its room
  }
  std::string trouble() const {
    std::string all;
    std::map<NameKey, std::vector<std::string>> holders;
    for (const auto& node : nodes_) {
      const Directory& d = node->directory();
      if (!d.works(now_)) all += d.me() + " does not work; ";
      if (d.displaced()) all += d.me() + ": " + node->reason + "; ";
      if (!node->claims.empty()) all += d.me() + " has claims without an answer; ";
      for (const auto& [key, self] : node->members) {
        holders[key].push_back(d.me());
        if (!d.holds(key)) all += d.me() + " has a member without its name; ";
      }
    }
    for (const auto& [key, who] : holders) {
      if (who.size() > 1) {
        all +=
            "'" + key.room + "/" + key.name + "' has " + std::to_string(who.size()) + " holders; ";
        for (auto& w : who) all += w + ",";
        auto it = store_.values().find(key_text(key));
        if (it != store_.values().end())
          all += it->second.text + " rev " + std::to_string(it->second.revision);
        for (auto& n : nodes_) {
          auto r = n->directory().names().find(key.room);
          if (r != n->directory().names().end()) {
            auto x = r->second.find(key.name);
            if (x != r->second.end())
              all += " | " + n->directory().me() + " knows " + x->second.entry.node + " " +
                     x->second.entry.incarnation + " rev " + std::to_string(x->second.revision);
          }
          all += " inc " + n->directory().entry().incarnation;
          all += n->directory().holds(key) ? " holds" : "";
        }
      }
    }
    std::size_t names = 0;
    for (const auto& [text, value] : store_.values()) {
      const auto key = parse_key(text);
      const auto* name = std::get_if<NameKey>(&*key);
      if (name == nullptr) continue;
      ++names;
      const auto held = holders.find(*name);
      const auto entry = parse_name_entry(value.text);
      if (held == holders.end() || held->second[0] != entry->node) {
        all += "'" + name->name + "' is held by nobody there is, but by " + entry->node + " " +
               entry->incarnation + "; ";
      }
    }
    std::map<std::string, std::set<std::string>> locks;
    for (const auto& [text, value] : store_.values()) {
      const auto key = parse_key(text);
      const auto* lock = std::get_if<LockKey>(&*key);
      if (lock == nullptr) continue;
      const auto entry = parse_lock_entry(value.text);
      locks[lock->room].insert(entry->names.begin(), entry->names.end());
      const auto in_it = [&](const auto& held) { return held.first.room == lock->room; };
      if (std::ranges::none_of(holders, in_it)) all += "an empty room is locked; ";
    }
    for (const auto& node : nodes_) {
      if (node->locks != locks || node->directory().lock_count() != locks.size()) {
        all += node->directory().me() + " was told of other locks than there are; ";
      }
      for (const auto& [room, let_in] : locks) {
        const auto* const told = node->directory().let_in(room);
        if (told == nullptr || *told != let_in) all += node->directory().me() + " lets in others; ";
      }
      if (node->directory().name_count() != names) {
        all += node->directory().me() + " knows other names than there are; ";
      }
    }
    return all;
  }

  std::int64_t steps = 0;

 private:
  std::mt19937_64 random_;
  StoreModel store_;
  std::vector<std::unique_ptr<NodeModel>> nodes_;
  std::unique_ptr<NodeModel> twin_;
  int incarnations_ = 0;
  int lost_in_thousand_ = 0;
  qvid::Timestamp now_ = kClusterBegin;
};

TEST(DirectoryModel, WhateverHappensANameEndsWithOneHolderAndNothingIsLeft) {
  const char* const wanted = std::getenv("QVID_MODEL_STEPS");
  const std::int64_t most = wanted != nullptr ? std::atoll(wanted) : 60'000;
  std::int64_t steps = 0;
  for (std::uint64_t seed = 1; steps < most; ++seed) {
    ModelCluster cluster(seed);
    cluster.run(seconds(2));
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 600; ++i) {
        cluster.disturb();
        cluster.step();
      }
      cluster.heal();
      ASSERT_EQ(cluster.trouble(), "") << "seed " << seed << ", round " << round;
    }
    steps += cluster.steps;
  }
  RecordProperty("steps", static_cast<int>(steps));
}

}  // namespace
}  // namespace qps
