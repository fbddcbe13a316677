// Members of a Broker's rooms who move from one node of a cluster to another.
//
//   the name is held there --> as before, until that node shows it --> a former member: what it sends goes
//   to those who see it, until what comes from there begins (SeatFeed::show); and it sees what it saw
//   --> it leaves, or kMoving after the first of these
//
// So nobody waits for a key frame, neither who moves nor who watches it, and nobody is told that it
// left. Who is a former member is in no list of the room, and nothing that it says of itself counts. Of a
// name there is one: who moves on at once ends the one before.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "pubsub/broker/broker_state.h"

namespace qps {

void Broker::hand_over(const std::string& reason) {
  if (cluster_ != nullptr && !cluster_->other_nodes().empty()) {  // one after the other
    hand_over_ = HandOver{.reason = reason, .ends = {}};
    return;
  }
  for (const auto& client : clients_) {
    if (!client->is_here()) continue;
    client->told_to_go = true;
    tell(*client, Moving{reason});
  }
}

// Those that there were when a client joined may have gone, or others come.
void Broker::tell_nodes(Timestamp now) {
  if (cluster_ == nullptr || (nodes_told_at_ && now - *nodes_told_at_ < kNodesEvery)) return;
  nodes_told_at_ = now;
  const Nodes nodes{cluster_->other_nodes()};
  std::vector<std::string> sorted = nodes.of;
  std::ranges::sort(sorted);
  if (std::exchange(nodes_told_, sorted) == sorted) return;
  const Payload text = Payload::copy_of(std::string_view(serialise(FromBroker(nodes))));
  for (const auto& client : clients_) {
    if (client->is_here() && client->room != nullptr && client->knows(kKnowsNodes)) {
      tell(*client, text);
    }
  }
}

void Broker::hand_over_some(Timestamp now) {
  if (!hand_over_) return;
  std::vector<Client*> here;
  for (const auto& client : clients_) {
    if (client->is_here() && !client->told_to_go && !client->closing) here.push_back(client.get());
  }
  if (!hand_over_->ends) {
    hand_over_->ends = now + kHandOver;
    hand_over_->left = here.size();
  }
  // As many as have had their turn by now; in the end all.
  const double share = std::clamp(
      1 - qvid::to_seconds(*hand_over_->ends - now) / qvid::to_seconds(kHandOver), 0.1, 1.0);
  const auto stay =
      static_cast<std::size_t>(std::floor(static_cast<double>(hand_over_->left) * (1 - share)));
  for (std::size_t i = 0; i + stay < here.size(); ++i) {
    here[i]->told_to_go = true;
    tell(*here[i], Moving{hand_over_->reason});
  }
  if (now >= *hand_over_->ends) hand_over_.reset();
}

void Broker::on_name_lost(const std::string& room, const std::string& name, Timestamp now) {
  const auto in = rooms_.find(room);
  if (in == rooms_.end()) return;
  const auto member = in->second->members.find(name);
  if (member == in->second->members.end() || !member->second->is_here()) return;
  Client& client = *member->second;
  // Who was told to go has gone where the others are about to see it.
  if (client.told_to_go && !client.closing) {
    if (!client.moving_until) client.moving_until = now + kMoving;
    return;
  }
  put_out(client, kElsewhere, now);
}

// Who is closed already stays in the room until its session has ended; not under a lost name.
void Broker::put_out(Client& client, const std::string& reason, Timestamp now) {
  const bool told = client.is_here() && !client.closing;
  told ? remove(client, reason, now) : leave(client, reason, now);
}

// Another client has its name from now on, the same person's.
void Broker::make_former(Client& client, Timestamp now) {
  Room& room = *client.room;
  end_formers_of(room, client.name, kElsewhere, now);
  room.members.erase(client.name);
  room.formers.push_back(&client);
  client.former = true;
  if (!client.moving_until) client.moving_until = now + kMoving;
  for (const auto& [track, publication] : client.publications) publication->former = true;
}

bool Broker::is_same(const Client& client, const std::string& self) {
  return !client.closing && !client.self.empty() && client.self == self;
}

bool Broker::moves(const Client& client, const std::string& self) {
  return is_same(client, self) && (!client.far.empty() || client.moving_until);
}

// Who is elsewhere is dropped by end_moved: this may be called from within a loop over all clients.
void Broker::end_former(Client& client, const std::string& reason, Timestamp now) {
  client.moving_until = now;
  put_out(client, reason, now);
}

void Broker::end_formers_of(const Room& room, const std::string& name, const std::string& reason,
                            Timestamp now) {
  for (Client* former : std::vector(room.formers)) {
    if (former->name == name) end_former(*former, reason, now);
  }
}

void Broker::end_moved(Timestamp now) {
  std::vector<Client*> over;
  for (const auto& client : clients_) {
    const bool there = client->room != nullptr || !client->far.empty();
    if (there && client->moving_until && now >= *client->moving_until) over.push_back(client.get());
  }
  for (Client* client : over) {
    client->is_here() ? end_former(*client, kElsewhere, now) : drop(client, kElsewhere, now);
  }
}

Broker::Client& Broker::publisher_of(const Room& room, const Publication& p) {
  if (!p.former) return *room.members.at(p.name);
  return **std::ranges::find_if(
      room.formers, [&](const Client* former) { return former->published(p.track) == &p; });
}

}  // namespace qps
