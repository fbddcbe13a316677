// The publish-subscribe broker. Source: 000 chapter 6.
//
//   publisher --items--> Publication --each fragment as it comes--> SeatFeed of every viewer
//                            ^ wanted, begin, demand                   ^ named, or the best
//
// Clients join a room under a name of their own there, set attributes, publish up to kMaxTracks
// tracks, each a stream of items, and watch others, each viewer one track: by name, a seat each, or
// the best of its publishers by criteria over the attributes. A viewer that watches what is not
// there yet waits for it. Flow stops at the source while nobody watches. A track is a name that the
// clients agree on; all that is said here of publications holds for each.
//
// Bad clients: what does not parse, or comes out of turn, closes that client with the reason;
// refusals that a person can mend (a name that is taken, criteria, a token) are told. Of a name that
// somebody had and another one has now, the members are told so (Member::other). Who is
// kicked, uses a right that it has not, or whose token ends, is told so, and closed. Bounds:
// Options; kMaxClientSeats of a client, by kMaxCriteria criteria. Payloads are opaque and shared by
// reference.
//
// Memory: what all clients together make the broker hold is bounded by BrokerOptions::max_memory, and by
// what its machine lets it have (memory_left) but kLastMemory. From kMemoryForMembers of that on, and
// where the machine has less than kMemoryToSpare, nobody joins; beyond all of it items are given up; and
// beyond max_memory who has the most waiting is closed (broker_memory.cc). A client that has not joined
// has little (Port::let_in).
//
// Work: what a client may cause is bounded (client_budget.h). What one request changes for a whole
// room, who sits where and what members are told of each other, is merged: at once where a room has
// had little of it (kSeatings, kNews), else at a poll, of many in one message (broker_news.cc).
//
// Clusters: members of a room may be on other nodes. To those here they are members as all others;
// what comes of them comes once over a link, from their own node and no other (broker_far.cc). A node
// that wants the members here has a link, a session with a place in each room, in which it is seen by
// nobody and sees those alone who are here (broker_link.cc).
//
// Pure: calls and `now` go in, calls of the clients' ports come out. Thread: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/token_bucket.h"
#include "pubsub/broker/broker_event.h"
#include "pubsub/broker/broker_stats.h"
#include "pubsub/broker/cluster_port.h"
#include "pubsub/broker/measurement.h"
#include "pubsub/broker/port.h"
#include "pubsub/broker/publication.h"
#include "pubsub/broker/slow_viewer_log.h"
#include "pubsub/wire/control.h"

namespace qps {

// What a client may do.
struct Rights {
  bool publish = true;
  bool subscribe = true;
  bool admin = false;            // list rooms, kick, hold, lock
  std::string admin_room = "*";  // of one room only; "*": of every one, and statistics
  bool own_name = false;         // the name is the client's and nobody else's: its token says so
  // From now on; then it is told, and closed. Empty: as long as it likes.
  std::optional<Duration> valid_for = {};
};

// Where a client comes from.
struct Origin {
  std::string who;        // for the log and for administrators
  bool loopback = false;  // from the broker's own machine
};

struct BrokerOptions {
  std::size_t max_members = 256;  // of a room
  std::size_t max_rooms = 1024;
  int max_requests = 200;  // of a client in a second; beyond, it is slowed (client_budget.h)
  // Whether, without `authorise`, who comes from loopback administers. A proxy or tunnel of the same
  // machine brings strangers from there.
  bool local_admin = false;
  std::size_t max_measuring = 4;  // clients at once that measure their rate; 0: none
  // What messages may hold, of all clients together; and what they do. Both positive.
  ByteCount max_memory{1024 * 1024 * 1024};
  std::function<ByteCount()> memory = Payload::held;
  // What the machine lets this process have beside what it has; nothing: no limit is known.
  std::function<std::optional<ByteCount>()> memory_left = [] { return std::optional<ByteCount>(); };
  bool chat = true;             // members may say something to each other
  std::size_t chat_kept = 100;  // messages to all of a room, for who comes later
  // Who may join, or, where the Join names no room, only administer. The error is told to the
  // client. Empty: everyone may join, publish and subscribe.
  std::function<Result<Rights>(const Join&, const Origin&)> authorise = {};
};

class SeatFeed;
class ViewerPreference;

// A line of an operator's log: a sentence, and of whom it tells.
struct BrokerLine {
  // Most that is not of a client is of nobody.  NOLINTNEXTLINE(google-explicit-constructor)
  BrokerLine(std::string what) : text(std::move(what)) {}
  std::string text;
  std::string client{};  // its address
  std::string room{};    // in which it is
  std::string member{};  // its name there
};
using BrokerLog = std::function<void(const BrokerLine&)>;

class Broker {
 public:
  static constexpr double kMemoryForMembers = 0.75;  // of what messages may hold
  // The machine's, for those who are in and for who has not joined; and for all that is no message.
  static constexpr ByteCount kMemoryToSpare{32 * 1024 * 1024};
  static constexpr ByteCount kLastMemory{8 * 1024 * 1024};
  // Messages may always hold that: rooms go on with what they had.
  static constexpr ByteCount kLeastForMessages{4 * 1024 * 1024};
  static constexpr std::size_t kMaxClientSeats =
      3 * kMaxSeats;                                    // three viewers with all they may have
  static constexpr std::size_t kMaxLinkSeats = 16'384;  // of a node in a room
  static constexpr std::size_t kMaxCriteria = 4;        // of a client
  // Of a room: seatings of all, and messages on who came and what a member is now: each recipient one
  // and one more for each kNewsSize.
  static constexpr qvid::TokenRate kSeatings{.per_second = 20, .burst = 10};
  static constexpr qvid::TokenRate kNews{.per_second = 2'000, .burst = 2'000};
  static constexpr ByteCount kNewsSize{4096};
  // Of a member: what the others are told at once; the rest is merged.
  static constexpr qvid::TokenRate kMemberNews{.per_second = 5, .burst = 5};
  // Chat: of a member in messages; of a room in recipients of them; and how much may be on its way to
  // one, which is more than a room keeps. What is beyond is refused, or lost for that one.
  static constexpr qvid::TokenRate kClientChat{.per_second = 1, .burst = 10};
  static constexpr qvid::TokenRate kRoomChat{.per_second = 10'000, .burst = 5'000};
  static constexpr ByteCount kMaxChatWaiting{256 * 1024};
  static constexpr Duration kAskAgain = std::chrono::seconds(1);

  // Between two `demand` of a track where paths become slower: with those that are told as rates
  // are measured, thirty a second at the most, as many as an encoder has frames to follow with.
  static constexpr Duration kLeastBetweenDemands = std::chrono::milliseconds(50);
  // Between two beginnings, whoever asks; and until one that has not come is asked for again, more
  // than an encoder takes to grant it in every layer.
  static constexpr Duration kLeastBetween = std::chrono::milliseconds(500);
  // Of a new track, for so long: those who are to see it come one after the other, as where its member
  // has moved to another node. Its publisher grants a few of these (media/live/sync_requests.h).
  static constexpr Duration kOpening = std::chrono::seconds(1);
  static constexpr Duration kLeastBetweenOpening = std::chrono::milliseconds(50);
  // Until a beginning is asked for where an encoder that is told of losses may mend what is broken
  // with what it makes next: eight frames, as where it sends to a player itself.
  static constexpr Duration kMending = std::chrono::milliseconds(270);
  // To join; of who only administers, between two requests.
  static constexpr Duration kJoinTimeout = std::chrono::seconds(10);
  // Until who was told to go is closed.
  static constexpr Duration kFarewell = std::chrono::seconds(1);
  static constexpr Duration kHandOver = std::chrono::seconds(1);
  // Until who has moved to another node has left this one: it is seen here until it is seen there,
  // and sees what it saw. Time for a link between the two, and for a key frame or two.
  static constexpr Duration kMoving = std::chrono::seconds(2);
  // At the least between two times that clients are told of other nodes.
  static constexpr Duration kNodesEvery = std::chrono::seconds(1);
  static constexpr int kMostRefusals = 5;
  static constexpr Duration kCriteriaInterval = std::chrono::milliseconds(200);

  // Called at least every ViewerPreference::kInterval: poll.
  explicit Broker(
      BrokerOptions options = {}, BrokerLog log = [](const BrokerLine&) {});
  ~Broker();
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  class Client;
  // A session begins; `port` outlives the client. `who`, `loopback`: as in Origin.
  Client* connect(Port& port, std::string who, bool loopback = false);
  // What its session gives. The client may be closed for it, not destroyed.
  void on_message(Client* client, const paceline::MessageArrived& message, Timestamp now);
  void on_ended(Client* client, const paceline::MessageEnded& ended, Timestamp now);
  void on_path_rate(Client* client, const paceline::PathRate& path, Timestamp now);
  // The session is over; the client is destroyed.
  void disconnect(Client* client, const std::string& reason, Timestamp now);

  void poll(Timestamp now);

  // All clients are told to go elsewhere, and nobody joins any more. Where there are other nodes of a
  // cluster to go to, one after the other within kHandOver, so that those have time for each.
  void drain(const std::string& reason);
  // The same of those who are here now; others may join.
  void hand_over(const std::string& reason);

  // All clients are told that it is over, and not to come back; nobody joins any more.
  void dismiss(const std::string& reason);

  // What is asked for another way than by a client, by the rights that `admin.token` gives. The error:
  // none to do that.
  Result<Answer> administer(const Admin& admin, const Origin& origin, Timestamp now);

  // True: it was there; it has left, is told why, and its session is closed within kFarewell.
  bool kick(const std::string& room, const std::string& name, const std::string& reason,
            Timestamp now);
  // Called for who joins and leaves here; must not call the broker. Empty: nobody is told.
  void set_events(BrokerEvents events) { events_ = std::move(events); }
  // It is a node of that cluster from now on, which outlives its sessions. Before the first client.
  void set_cluster(ClusterPort& cluster) { cluster_ = &cluster; }
  // To ClusterPort::claim; an empty error: the name is held, by that revision. `taken`: by another.
  void on_claimed(std::uint64_t claim, const std::string& error, bool taken, std::uint64_t revision,
                  Timestamp now);
  // Another node holds that name now: who has it here is out, at once or as one that has moved.
  void on_name_lost(const std::string& room, const std::string& name, Timestamp now);
  // Rooms with members who are here, and a count of their changes.
  std::vector<std::string> rooms_here() const;
  std::uint64_t rooms_here_changes() const { return rooms_here_changes_; }
  // Members on other nodes, as their node has told. False: it is not shown, for its name is held by
  // another one (by a higher revision); ask again.
  bool show_far(const std::string& node, const std::string& room, const Member& member,
                Timestamp now);
  void hide_far(const FarName& who, const std::string& reason, Timestamp now);
  // All of that node in that room.
  void hide_far_of(const std::string& node, const std::string& room, const std::string& reason,
                   Timestamp now);
  // Its items come from now on numbered anew; and one of its fragments.
  void begin_far(const FarName& who, const std::string& track, const std::string& about,
                 Timestamp now);
  void on_far_item(const FarName& who, const std::string& track,
                   const paceline::MessageArrived& message, Timestamp now);
  void on_far_said(const std::string& room, Said said, Timestamp now);
  // As ClusterPort::let_in; who came by a claim after that `revision` came too late.
  void lock_as_elsewhere(const std::string& room,
                         const std::optional<std::set<std::string>>& let_in, std::uint64_t revision,
                         Timestamp now);

  // A session that was not let in to begin with.
  void note_turned_away() { ++stats_.turned_away; }
  // From now on; who is there already stays, beyond new limits too.
  void set_options(BrokerOptions options);
  // Whoever Options::authorise let in is asked about again; whom it would refuse now is told so, and
  // closed.
  void judge_again(Timestamp now);
  std::size_t clients() const { return clients_.size(); }
  BrokerCounts counts() const;
  // The `most` rooms with most members, here and elsewhere; the first of them has the most.
  std::vector<RoomCounts> room_counts(std::size_t most) const;
  bool draining() const { return draining_.has_value(); }
  BrokerStats stats() const;

 private:
  struct Room;
  struct Viewer;
  struct LinkEnd;
  class PlacePort;

  void on_link(Client& client, const Link& link, Timestamp now);
  void on_link_message(Client& link, const paceline::MessageArrived& message, Timestamp now);
  void on_place(Client& relay, const ToBroker& request, Timestamp now);
  void end_places(Client& link, const std::string& reason, Timestamp now);
  void drop(Client* client, const std::string& reason, Timestamp now);
  void enter_relay(Client& relay, const Join& join, Timestamp now);
  Room& room_of(const std::string& name, Timestamp now);
  void enter(Client& client, const Join& join, std::uint64_t revision, Timestamp now);
  bool may_join(Client& client, const Join& join);
  void refuse_taken(Client& client, const Join& join);
  Client* find_far(const FarName& who) const;
  void make_former(Client& client, Timestamp now);
  // Who says that of itself (Client::self) is that client; and it comes from another node, or back.
  static bool is_same(const Client& client, const std::string& self);
  static bool moves(const Client& client, const std::string& self);
  static constexpr const char* kElsewhere = "you are in this room on another node now";
  void put_out(Client& client, const std::string& reason, Timestamp now);
  void end_former(Client& client, const std::string& reason, Timestamp now);
  void end_formers_of(const Room& room, const std::string& name, const std::string& reason,
                      Timestamp now);
  void end_moved(Timestamp now);
  static Client& publisher_of(const Room& room, const Publication& p);
  void tell_relays(const Room& room, const FromBroker& message);
  void tell_relays_of(Room& room, const Client& member);
  void publish_far(Client& far, const std::string& track, const std::string& about);
  void set_far_tracks(Client& far, const Member& member, Timestamp now);
  void tell_wanted(Client& publisher, const Publication& p, bool losses);
  void end_if_empty(Room& room);
  struct Offered {  // to a seat of that client, of late
    const Client* to;
    SeatFeed* seat;
    ByteCount bytes;
  };
  static void add_offered(const Client& client, Timestamp now, std::vector<Offered>& to);

  bool within_budget(Client& client, Timestamp now) const;
  void handle(Client& client, const paceline::MessageArrived& message, Timestamp now);
  void put_off(Client& client, const paceline::MessageArrived& message, Timestamp now);
  void catch_up(Client& client, Timestamp now);
  void look_at_memory();
  bool has_memory(double share) const;
  void refuse_for_memory(Client& client);
  void free_memory();
  void charge_steps(Client& client, ViewerPreference& preference);
  void on_control(Client& client, const Payload& payload, Timestamp now);
  void on_request(Client& client, const ToBroker& request, Timestamp now);
  void on_item(Client& client, const paceline::MessageArrived& message, Timestamp now);
  void give_out(Client& client, Publication& p, Timestamp now);
  bool take(Client& client, Publication& p, ItemOrder::Fragment fragment, Timestamp now);
  void on_fragment(Client& client, Publication& p, const paceline::MessageArrived& message,
                   Timestamp now);
  void on_join(Client& client, const Join& join, Timestamp now);
  void on_admin(Client& client, const Admin& admin, Timestamp now);
  void tell_cluster(const Admin& admin);
  void on_measure(Client& client, const Measure& measure, Timestamp now);
  Result<Rights> rights_of(const Join& join, const Origin& origin) const;
  std::string no_right_to_administer() const;
  bool authorise(Client& client, const Join& join, Timestamp now);
  void refuse(Client& client, Refusal why, const std::string& reason);
  void tell_refused(Client& client, const std::string& reason);
  Answer carry_out(const Admin& admin, const Rights& rights, bool here_alone, Timestamp now);
  Answer answer_to(const Admin& admin, const Rights& rights, Timestamp now);
  nlohmann::json list_rooms(const Admin& admin, const Rights& rights) const;
  nlohmann::json list_members(const Room& room, const std::string& after, Timestamp now) const;
  void end_overdue(Timestamp now);
  void hand_over_some(Timestamp now);
  void tell_nodes(Timestamp now);
  void on_say(Client& client, const Say& say, Timestamp now);
  Result<Client*> recipient(const Room& room, const std::string& name) const;
  void tell_chat(Client& client, const Payload& message, std::int64_t number);
  void tell_history(Client& client, Timestamp now);
  void on_hand(Client& client, const RaiseHand& raise, Timestamp now);
  std::optional<std::string> hold(Room& room, const Admin& admin, Timestamp now);
  void lock(Room& room, bool on);
  bool may_enter(const Room& room, const Client& client, const std::string& name) const;
  void on_attributes(Client& client, const SetAttributes& set);
  void on_publish(Client& client, const Publish& publish, Timestamp now);
  void on_unpublish(Client& client, const std::string& track, Timestamp now);
  void end_publication(Room& room, Client& client, const std::string& track);
  Result<ViewerPreference> prefer(Client& client, const Watch& watch, Timestamp now);
  void on_watch(Client& client, const Watch& watch, Timestamp now);
  void on_unwatch(Client& client, std::uint32_t viewer, Timestamp now);
  void on_pause(Client& client, std::uint32_t viewer, bool on, Timestamp now);
  void leave(Client& client, const std::string& reason, Timestamp now);
  // `room`: where it is not that of the client any more.
  void log_of(const Client& client, std::string text, const Room* room = nullptr) const;
  void fault(Client& client, const std::string& reason);
  void remove(Client& client, const std::string& reason, Timestamp now);

  void tell(Client& client, const FromBroker& message);
  void tell(Client& client, const Payload& message);
  // All of the room who are here, but that one.
  void tell_room(const Room& room, const Client& of, const FromBroker& message);
  void tell_members(Client& client, const Room& room);
  void tell_changed(Client& client, Timestamp now);
  void tell_all_changed(Room& room, Timestamp now);
  void seat_soon(Room& room, Timestamp now);
  void seat_all(Room& room, Timestamp now);
  void seat(Room& room, Client& client, Viewer& viewer, Timestamp now);
  void ask_those(const Room& room, const std::set<std::string>& publishers, Timestamp now);
  void ask(Client& publisher, Timestamp now);
  void ask(Client& publisher, Publication& p, Timestamp now);
  void tell_losses(Client& publisher, Publication& p);
  void tell_demand(Client& publisher, Publication& p, Timestamp now);
  void log_slow(Timestamp now);
  void log_slow(Client& client, Duration passed, Timestamp now);

  BrokerOptions options_;
  ByteCount may_hold_;  // as messages may now
  bool lets_in_ = true;
  BrokerLog log_;
  BrokerEvents events_;  // may be empty
  Measurements measurements_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::map<std::string, std::unique_ptr<Room>> rooms_;
  ClusterPort* cluster_ = nullptr;
  struct Claiming {
    Client* client = nullptr;  // nullptr: it has gone
    Join join;
  };
  std::map<std::uint64_t, Claiming> claiming_;  // at most one a client, and as the cluster bounds
  std::uint64_t rooms_here_changes_ = 0;
  std::optional<std::string> draining_;
  struct HandOver {
    std::string reason;
    std::optional<Timestamp> ends;  // since the first poll
    std::size_t left = 0;           // who were there then
  };
  std::optional<HandOver> hand_over_;
  std::vector<std::string> nodes_told_;  // in no order of theirs
  std::optional<Timestamp> nodes_told_at_;
  std::optional<Timestamp> measured_;
  SlowViewerLog slow_viewers_;
  std::optional<Timestamp> slow_measured_;
  BrokerStats stats_;
};

}  // namespace qps
