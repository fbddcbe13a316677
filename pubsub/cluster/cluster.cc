#include "pubsub/cluster/cluster.h"

#include <algorithm>
#include <utility>

#include "transport/wire/same_secret.h"

namespace qps {
namespace {

constexpr std::size_t kReported = 50;  // nodes, and links: an answer has 16 KiB

}  // namespace

Cluster::Cluster(std::string node, NodeEntry entry, Broker& broker, BrokerLog log,
                 std::function<void()> wake)
    : broker_(broker),
      log_(std::move(log)),
      wake_(std::move(wake)),
      directory_(std::move(node), std::move(entry)) {}

std::vector<LinkOrder> Cluster::take_orders() { return std::exchange(orders_, {}); }

void Cluster::poll(Timestamp now) {
  now_ = now;
  if (!loaded_ || now - *loaded_ >= Directory::kPutEvery) {
    loaded_ = now;
    directory_.set_load(static_cast<std::int64_t>(broker_.counts().members));
  }
  directory_.poll(now);
  take_events(now);
  if (told_displaced_ && !directory_.displaced()) {
    told_displaced_ = false;
    log_("cluster: the name '" + directory_.me() + "' is this node's again");
  }
  const bool silent = !directory_.works(now) && !directory_.displaced();
  if (std::exchange(told_silent_, silent) != silent) {
    log_({silent
              ? "cluster: the directory (NATS) does not answer: nobody new is let in, calls go on"
              : "cluster: the directory answers"});
  }
  plan(now);
}

void Cluster::take_events(Timestamp now) {
  for (const DirectoryEvent& event : directory_.take_events()) {
    if (const auto* done = std::get_if<ClaimDone>(&event)) {
      broker_.on_claimed(done->claim, done->error, done->taken, done->revision, now);
    } else if (const auto* lost = std::get_if<NameLost>(&event)) {
      broker_.on_name_lost(lost->key.room, lost->key.name, now);
    } else if (const auto* lock = std::get_if<LockChanged>(&event)) {
      broker_.lock_as_elsewhere(lock->room, lock->let_in, lock->revision, now);
    } else {
      const std::string& reason = std::get<NodeDisplaced>(event).reason;
      told_displaced_ = true;
      log_("cluster: " + reason);
      if (!other_nodes().empty()) broker_.hand_over(reason);
    }
  }
}

// Which links are needed for which rooms: those of the directory, and where somebody is seen.
void Cluster::look_what_is_wanted() {
  directory_changes_ = directory_.changes();
  room_changes_ = broker_.rooms_here_changes();
  wanted_.clear();
  for (const std::string& room : broker_.rooms_here()) {
    for (const std::string& node : directory_.nodes_of(room)) wanted_[node].insert(room);
    for (const auto& [node, held] : links_) {
      if (held.link.shows_somebody_in(room)) wanted_[node].insert(room);
    }
  }
  for (const auto& [node, rooms] : wanted_) {
    if (!links_.contains(node)) {
      links_.emplace(node, Held(NodeLink(node, directory_.me(), broker_)));
    }
  }
}

void Cluster::plan(Timestamp now) {
  const bool again = !shown_again_ || now - *shown_again_ >= kShowAgain;
  if (again) shown_again_ = now;
  if (again || directory_changes_ != directory_.changes() ||
      room_changes_ != broker_.rooms_here_changes()) {
    look_what_is_wanted();
    for (auto& [node, held] : links_) held.link.set_rooms(wanted_[node], now);
  }
  for (auto it = links_.begin(); it != links_.end();) {
    auto& [node, held] = *it;
    if (held.link.rooms() > 0) {
      held.idle_since.reset();
    } else if (!held.idle_since) {
      held.idle_since = now;
    }
    if (again) held.link.show_again(now);
    tend(node, held, now);
    const bool over = held.idle_since && !held.dialled;
    it = over ? links_.erase(it) : std::next(it);
  }
}

void Cluster::tend(const std::string& node, Held& held, Timestamp now) {
  const Directory::Node* const known = directory_.node(node);
  const bool idle = held.idle_since && now - *held.idle_since >= kIdle;
  const bool restarted =
      known != nullptr && held.dialled && known->entry.incarnation != held.incarnation;
  if (held.dialled && (idle || restarted)) {
    orders_.push_back({.what = LinkOrder::What::kHangUp,
                       .node = node,
                       .text = idle ? "the link is not needed" : "the node was started anew"});
    return on_link_down(node, restarted ? "its node was started anew" : "its link ends", now);
  }
  if (!held.dialled && !held.idle_since && known != nullptr && now >= held.next) {
    held.dialled = true;
    held.incarnation = known->entry.incarnation;
    orders_.push_back({.what = LinkOrder::What::kDial,
                       .node = node,
                       .address = known->entry.address,
                       .fingerprint = known->entry.fingerprint});
  }
  order_texts(node, held);
}

void Cluster::order_texts(const std::string& node, Held& held) {
  for (std::string& text : held.link.take_texts()) {
    orders_.push_back({.what = LinkOrder::What::kSay, .node = node, .text = std::move(text)});
  }
}

void Cluster::on_link_up(const std::string& node) {
  const auto it = links_.find(node);
  const Directory::Node* const known = directory_.node(node);
  if (it == links_.end() || known == nullptr) return;
  it->second.link.on_up(known->entry.secret);
  order_texts(node, it->second);
  wake_();
}

void Cluster::on_link_message(const std::string& node, const paceline::MessageArrived& message,
                              Timestamp now) {
  const auto it = links_.find(node);
  if (it == links_.end()) return;
  const bool was_ready = it->second.link.ready();
  const auto wrong = it->second.link.on_message(message, now);
  if (wrong) {
    log_("cluster: the link to '" + node + "' ends: " + *wrong);
    orders_.push_back({.what = LinkOrder::What::kHangUp, .node = node, .text = *wrong});
    on_link_down(node, "its link ends", now);
  } else if (!was_ready && it->second.link.ready()) {
    it->second.backoff.reset();
    log_("cluster: linked to the node '" + node + "'");
  }
  order_texts(node, it->second);
  if (!orders_.empty()) wake_();
}

void Cluster::on_link_down(const std::string& node, const std::string& reason, Timestamp now) {
  const auto it = links_.find(node);
  if (it == links_.end() || !it->second.dialled) return;
  Held& held = it->second;
  if (held.link.ready()) {
    ++held.lost;
    log_("cluster: the link to '" + node + "' is gone: " + reason);
  }
  held.dialled = false;
  held.next = now + held.backoff.next();
  held.link.on_down("the link to its node is gone", now);
}

std::uint64_t Cluster::claim(const std::string& room, const std::string& name,
                             const std::string& self, Timestamp now) {
  wake_();
  return directory_.claim({.room = room, .name = name}, self, now);
}

void Cluster::release(const std::string& room, const std::string& name) {
  directory_.release({.room = room, .name = name});
  wake_();
}

bool Cluster::is_node(const Link& link) const {
  return is_node_name(link.node) && link.node != directory_.me() &&
         paceline::same_secret(link.token, directory_.entry().secret);
}

void Cluster::wish(const FarName& who, const FarWish& wish) {
  const auto it = links_.find(who.node);
  if (it == links_.end()) return;
  it->second.link.wish(who, wish);
  order_texts(who.node, it->second);
  wake_();
}

void Cluster::lock(const std::string& room, const std::optional<std::set<std::string>>& let_in) {
  directory_.set_lock(room, let_in);
  wake_();
}

void Cluster::administer(const Admin& admin) {
  for (auto& [node, held] : links_) {
    held.link.administer(admin);
    order_texts(node, held);
  }
  wake_();
}

std::vector<std::string> Cluster::other_nodes() const {
  // Those of the same region first, and of these the ones with the fewest members.
  std::vector<const Directory::Node*> nodes;
  for (const auto& [name, node] : directory_.nodes()) {
    if (!node.entry.draining && node.entry.version == kClusterVersion &&
        !directory_.is_dead(node, now_)) {
      nodes.push_back(&node);
    }
  }
  std::ranges::sort(nodes, {}, [&](const Directory::Node* node) {
    return std::pair(node->entry.region != directory_.entry().region, node->entry.members);
  });
  if (nodes.size() > kMaxNodesTold) nodes.resize(kMaxNodesTold);
  std::vector<std::string> texts;
  for (const auto* node : nodes) {
    const NodeEntry& entry = node->entry;
    texts.push_back(entry.fingerprint.empty() ? entry.address
                                              : entry.address + "#" + entry.fingerprint);
  }
  return texts;
}

std::map<std::string, Cluster::LinkState> Cluster::links() const {
  std::map<std::string, LinkState> states;
  for (const auto& [node, held] : links_) {
    states[node] = {.ready = held.link.ready(),
                    .rooms = held.link.rooms(),
                    .members = held.link.members(),
                    .counts = held.link.counts(),
                    .lost = held.lost};
  }
  return states;
}

nlohmann::json Cluster::report(Timestamp now) const {
  const auto of = [](const std::string& name, const NodeEntry& entry, bool dead) {
    return nlohmann::json{{"name", name},
                          {"address", entry.address},
                          {"region", entry.region},
                          {"members", entry.members},
                          {"draining", entry.draining},
                          {"dead", dead}};
  };
  nlohmann::json nodes = nlohmann::json::array({of(directory_.me(), directory_.entry(), false)});
  for (const auto& [name, node] : directory_.nodes()) {
    if (nodes.size() == kReported) break;
    nodes.push_back(of(name, node.entry, directory_.is_dead(node, now)));
  }
  nlohmann::json links = nlohmann::json::array();
  for (const auto& [node, state] : this->links()) {
    if (links.size() == kReported) break;
    links.push_back({{"node", node},
                     {"ready", state.ready},
                     {"rooms", state.rooms},
                     {"members", state.members},
                     {"fragments", state.counts.fragments},
                     {"bytes", state.counts.bytes.value()},
                     {"lost", state.lost}});
  }
  return {{"node", directory_.me()},
          {"directory", directory_.works(now)},
          {"displaced", directory_.displaced()},
          {"nodes", std::move(nodes)},
          {"names", directory_.name_count()},
          {"links", std::move(links)}};
}

}  // namespace qps
