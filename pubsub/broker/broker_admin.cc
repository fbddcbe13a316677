// Who may what in a Broker, those who administer it, and who has to go.
#include <algorithm>
#include <utility>

#include "pubsub/broker/broker_state.h"

namespace qps {
namespace {

using nlohmann::json;

// Entries of an answer: names are of 64 bytes, addresses of less, and an answer of 16 KiB.
constexpr std::size_t kPage = 40;

// What was done, or could not be, for the log; empty where it was only asked for.
std::string said_of(const Admin& admin, const Answer& answer) {
  const std::string who = "'" + admin.name + "' in '" + admin.room + "'";
  std::string said;
  switch (admin.action) {
    case AdminAction::kKick:
      said = "kicks " + who + (admin.reason.empty() ? "" : ": " + admin.reason);
      break;
    case AdminAction::kHold:
      said = (admin.on ? "holds '" : "lets through '") + admin.track + "' of " + who;
      break;
    case AdminAction::kLock: said = (admin.on ? "locks '" : "opens '") + admin.room + "'"; break;
    default: return {};
  }
  return answer.error.empty() ? said : said + "; not done: " + answer.error;
}

}  // namespace

json json_of(const BrokerStats& s) {
  return {{"joined", s.joined},
          {"refused", s.refused()},
          {"wrong_tokens", s.wrong_tokens},
          {"turned_away", s.turned_away},
          {"removed", s.removed},
          {"faults", s.faults},
          {"slowed", s.slowed},
          {"put_off", s.put_off},
          {"hoarders", s.hoarders},
          {"items_without_memory", s.items_without_memory},
          {"criteria_steps", s.criteria_steps},
          {"fragments_in", s.fragments_in},
          {"fragments_out", s.fragments_out},
          {"bytes_in", s.bytes_in.value()},
          {"bytes_out", s.bytes_out.value()},
          {"fragments_lost", s.fragments_lost},
          {"switches", s.switches},
          {"measured", s.measuring.begun},
          {"measured_bytes", s.measuring.bytes.value()},
          {"not_measured", s.measuring.put_off},
          {"said", s.said},
          {"not_said", s.not_said},
          {"chat_lost", s.chat_lost}};
}

Result<Rights> Broker::rights_of(const Join& join, const Origin& origin) const {
  if (options_.authorise) return options_.authorise(join, origin);
  return Rights{.admin = options_.local_admin && origin.loopback};
}

std::string Broker::no_right_to_administer() const {
  return options_.authorise ? "your token gives no right to administer"
                            : "without tokens a broker is administered from its own machine "
                              "alone, and if it was started with --local-admin";
}

// Sets what the client may do; false: it has been refused.
bool Broker::authorise(Client& client, const Join& join, Timestamp now) {
  auto rights = rights_of(join, client.origin);
  if (!rights) {
    ++stats_.wrong_tokens;
    tell_refused(client, rights.error().message);
    return false;
  }
  client.port.let_in();
  client.shown.reset();
  if (options_.authorise) {
    client.shown = Join{.room = join.room, .name = join.name, .token = join.token};
  }
  client.rights = *std::move(rights);
  client.rights_end.reset();
  if (client.rights.valid_for) client.rights_end = now + *client.rights.valid_for;
  return true;
}

void Broker::judge_again(Timestamp now) {
  if (!options_.authorise) return;
  for (const auto& client : clients_) {
    if (!client->shown || client->closing) continue;
    const auto rights = options_.authorise(*client->shown, client->origin);
    if (!rights) remove(*client, rights.error().message, now);
  }
}

void Broker::refuse(Client& client, Refusal why, const std::string& reason) {
  ++stats_.refusals[static_cast<std::size_t>(why)];
  tell_refused(client, reason);
}

// It may mend that and ask again, some times.
void Broker::tell_refused(Client& client, const std::string& reason) {
  log_of(client, client.who + ": refused: " + reason);
  tell(client, JoinRefused{reason});
  if (++client.refusals == kMostRefusals) fault(client, "refused too often");
}

void Broker::on_admin(Client& client, const Admin& admin, Timestamp now) {
  const bool is_stranger = client.room == nullptr && !client.rights.admin;
  if (is_stranger && !authorise(client, Join{.room = {}, .name = {}, .token = admin.token}, now)) {
    return;
  }
  if (!client.rights.admin) {
    return refuse(client, Refusal::kRight, no_right_to_administer());
  }
  client.came = now;
  const Answer answer = carry_out(admin, client.rights, client.relay, now);
  if (const std::string said = said_of(admin, answer); !said.empty()) {
    log_of(client, client.who + ": " + said);
  }
  tell(client, answer);
}

Result<Answer> Broker::administer(const Admin& admin, const Origin& origin, Timestamp now) {
  const auto rights = rights_of({.room = {}, .name = {}, .token = admin.token}, origin);
  if (!rights || !rights->admin) {
    ++(rights ? stats_.refusals[static_cast<std::size_t>(Refusal::kRight)] : stats_.wrong_tokens);
    const std::string why = rights ? no_right_to_administer() : rights.error().message;
    log_(origin.who + ": refused: " + why);
    return qvid::Error{why};
  }
  Answer answer = carry_out(admin, *rights, false, now);
  if (const std::string said = said_of(admin, answer); !said.empty()) {
    log_(origin.who + ": " + said);
  }
  return answer;
}

// `here_alone`: the other nodes know of it already.
Answer Broker::carry_out(const Admin& admin, const Rights& rights, bool here_alone, Timestamp now) {
  Answer answer = answer_to(admin, rights, now);
  if (cluster_ != nullptr && !here_alone && !asks(admin.action) && answer.error.empty()) {
    tell_cluster(admin);
  }
  return answer;
}

void Broker::tell_cluster(const Admin& admin) {
  if (admin.action != AdminAction::kLock) cluster_->administer(admin);
  if (admin.action == AdminAction::kHold) return;
  const auto room = rooms_.find(admin.room);
  if (room == rooms_.end()) return;
  // Who is kicked from a locked room is no longer let in, wherever it comes.
  const auto& let_in = room->second->let_in;
  if (let_in || admin.action == AdminAction::kLock) cluster_->lock(admin.room, let_in);
}

void Broker::on_measure(Client& client, const Measure& measure, Timestamp now) {
  if (draining_) return tell(client, Moving{*draining_});
  const auto up = measure.way == Way::kUp;
  if (up && (measure.stream == paceline::kFirstStream.value() ||
             client.published_on(measure.stream) != nullptr)) {
    return fault(client, "filling on a stream that is used otherwise");
  }
  const Join stranger{
      .room = measure.name.empty() ? "*" : measure.name, .name = {}, .token = measure.token};
  if (client.room == nullptr && !authorise(client, stranger, now)) return;
  if (!client.measurement) {
    client.measurement = std::make_unique<Measurement>(measurements_, client.port);
  }
  const Measuring told = client.measurement->begin(measure, now);
  if (told.bytes > ByteCount()) client.came = now;
  tell(client, told);
  client.measurement->start(now);
}

Answer Broker::answer_to(const Admin& admin, const Rights& rights, Timestamp now) {
  Answer answer{.action = admin.action, .error = {}};
  if (!admin.room.empty() && !covers(rights, admin.room)) {
    answer.error = "the token is for the room '" + rights.admin_room + "' only";
    return answer;
  }
  switch (admin.action) {
    case AdminAction::kRooms: {
      if (admin.room.empty()) {
        answer.data = list_rooms(admin, rights);
      } else if (const auto room = rooms_.find(admin.room); room != rooms_.end()) {
        answer.data = list_members(*room->second, admin.after, now);
      } else {
        answer.error = "there is no room '" + admin.room + "'";
      }
      break;
    }
    case AdminAction::kStats:
      if (rights.admin_room == "*") {
        answer.data = json_of(stats());
        answer.data["rooms"] = rooms_.size();
        answer.data["clients"] = clients_.size();
      } else {
        answer.error =
            "statistics are of all rooms, and the token is for '" + rights.admin_room + "' only";
      }
      break;
    case AdminAction::kCluster:
      if (rights.admin_room != "*") {
        answer.error =
            "a cluster is of all rooms, and the token is for '" + rights.admin_room + "' only";
      } else if (cluster_ == nullptr) {
        answer.error = "this broker is in no cluster";
      } else {
        answer.data = cluster_->report(now);
      }
      break;
    case AdminAction::kHold:
    case AdminAction::kLock:
      if (const auto room = rooms_.find(admin.room); room == rooms_.end()) {
        answer.error = "there is no room '" + admin.room + "'";
      } else if (admin.action == AdminAction::kLock) {
        lock(*room->second, admin.on);
      } else if (const auto trouble = hold(*room->second, admin, now)) {
        answer.error = *trouble;
      }
      break;
    case AdminAction::kKick:
      if (!kick(admin.room, admin.name, admin.reason, now)) {
        answer.error = "there is no '" + admin.name + "' in a room '" + admin.room + "'";
      }
      break;
  }
  return answer;
}

json Broker::list_rooms(const Admin& admin, const Rights& rights) const {
  json page = json::array();
  bool more = false;
  for (auto it = rooms_.upper_bound(admin.after); it != rooms_.end(); ++it) {
    const Room& room = *it->second;
    if (!covers(rights, room.name)) continue;
    more = page.size() == kPage;
    if (more) break;
    const auto publishing = std::ranges::count_if(
        room.members, [](const auto& member) { return !member.second->publications.empty(); });
    page.push_back(
        {{"room", room.name}, {"members", room.members.size()}, {"publishing", publishing}});
  }
  return {{"rooms", std::move(page)}, {"more", more}};
}

json Broker::list_members(const Room& room, const std::string& after, Timestamp now) const {
  json page = json::array();
  auto it = room.members.upper_bound(after);
  for (; it != room.members.end() && page.size() < kPage; ++it) {
    const Client& member = *it->second;
    std::size_t seats = 0;
    for (const auto& [id, viewer] : member.viewers) seats += viewer.seats.size();
    page.push_back(
        {{"name", member.name},
         {"address", member.who},
         {"publishes", !member.publications.empty()},
         {"tracks", member.tracks()},
         {"seats", seats},
         {"seconds",
          std::chrono::duration_cast<std::chrono::seconds>(now - member.joined).count()}});
  }
  return {{"room", room.name}, {"members", std::move(page)}, {"more", it != room.members.end()}};
}

bool Broker::kick(const std::string& room, const std::string& name, const std::string& reason,
                  Timestamp now) {
  const std::string text =
      "removed from the room by who runs it" + (reason.empty() ? "" : ": " + reason);
  if (const auto in = rooms_.find(room); in != rooms_.end()) {
    end_formers_of(*in->second, name, text, now);
  }
  const auto it = rooms_.find(room);
  if (it == rooms_.end()) return false;
  const auto member = it->second->members.find(name);
  if (member == it->second->members.end()) return false;
  if (it->second->let_in) it->second->let_in->erase(name);
  if (!member->second->far.empty()) return true;  // its own node does it
  remove(*member->second, text, now);
  return true;
}

// It is told, and out for the others; it closes its session, or the broker does, which would take
// the news along if it did so at once.
void Broker::remove(Client& client, const std::string& reason, Timestamp now) {
  if (client.closing) return;
  ++stats_.removed;
  log_of(client, client.who + ": removed: " + reason);
  tell(client, Removed{reason});
  client.farewell = {.ends = now + kFarewell, .reason = reason};
  client.closing = true;
  leave(client, reason, now);
}

void Broker::end_overdue(Timestamp now) {
  for (const auto& client : clients_) {
    if (client->rights_end && now >= *client->rights_end) {
      client->rights_end.reset();
      remove(*client, "your token has expired: ask for a new one", now);
    }
    if (client->farewell && now >= client->farewell->ends) {
      client->port.close(std::exchange(client->farewell, std::nullopt)->reason);
    }
  }
}

}  // namespace qps
