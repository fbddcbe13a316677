// `qvid admin`: looks into a running broker, and keeps order in its rooms.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/command/commands.h"
#include "app/command/report.h"
#include "app/log/log.h"
#include "app/options/token_option.h"
#include "app/options/transport_options.h"
#include "app/protocol/questioner.h"
#include "app/room/party_seats.h"
#include "base/text.h"
#include "pubsub/wire/control.h"
#include "pubsub/wire/control_message.h"

namespace qvid::app {
namespace {

using nlohmann::json;

// More entries than any broker has (Broker's Options): who answers so many is none.
constexpr std::size_t kMostEntries = 100'000;

struct AdminArguments {
  std::string url;
  std::string room;
  std::string name;
  std::string reason;
  bool off = false;
  CredentialArguments token;
  TransportArguments transport;
  ClientArguments client;
};

// Asks once, and for rooms and members page after page.
class AdminTalk final : public Questioner {
 public:
  AdminTalk(Destination to, qps::Admin request)
      : Questioner(std::move(to)), request_(std::move(request)) {}

  // All pages in one.
  const json& data() const { return data_; }

 private:
  void ask() override { qps::send_control(session(), qps::serialise(qps::ToBroker(request_))); }

  void on_message(std::string_view text) override {
    auto message = qps::parse_from_broker(text);
    if (!message) return fail(kExitRefused, message.error().message);
    if (const auto* refused = std::get_if<qps::JoinRefused>(&*message)) {
      return fail(kExitRefused, "the broker refuses: " + refused->reason);
    }
    if (const auto* removed = std::get_if<qps::Removed>(&*message)) {
      return fail(kExitRefused, removed->reason);
    }
    auto* answer = std::get_if<qps::Answer>(&*message);
    if (answer == nullptr || answer->action != request_.action) return;  // news for members
    if (!answer->error.empty()) return fail(kExitFailure, answer->error);
    on_page(answer->data);
  }

  void on_page(json& page) {
    const char* key = request_.room.empty() ? "rooms" : "members";
    const char* name = request_.room.empty() ? "room" : "name";
    const bool first = data_.is_null();
    std::optional<std::string> last;
    if (const auto list = page.find(key); list != page.end() && list->is_array()) {
      if (!list->empty()) last = text_in(list->back(), name);
      if (!first) data_[key].insert(data_[key].end(), list->begin(), list->end());
    } else if (request_.action == qps::AdminAction::kRooms) {
      return fail(kExitRefused, "what the broker answers has no list");
    }
    const bool more = page.contains("more") && page["more"] == true;
    if (first) data_ = std::move(page);
    data_.erase("more");
    if (more && last && *last > request_.after && data_[key].size() < kMostEntries) {
      request_.after = *last;
      return ask();
    }
    finish("that is all");
  }

  static std::optional<std::string> text_in(const json& object, const char* key) {
    if (!object.is_object()) return std::nullopt;
    const auto it = object.find(key);
    if (it == object.end() || !it->is_string()) return std::nullopt;
    return it->get<std::string>();
  }

  qps::Admin request_;
  json data_;
};

// A field of what a broker answered, for a person: anything may be in it.
std::string field(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return "?";
  const json& value = object[key];
  if (value.is_boolean()) return value == true ? "yes" : "no";
  return printable(value.is_string() ? value.get<std::string>() : dump(value));
}

json list_in(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_array() ? *it : json::array();
}

std::string answer_text(const qps::Admin& request, const json& data) {
  std::string text;
  if (request.action == qps::AdminAction::kKick) {
    return fmt::format("'{}' is out of the room '{}'\n", request.name, request.room);
  }
  if (request.action == qps::AdminAction::kHold) {
    return fmt::format("'{}' is {} in the room '{}'\n", request.name,
                       request.on ? "muted for all" : "heard again", request.room);
  }
  if (request.action == qps::AdminAction::kLock) {
    return fmt::format("the room '{}' is {}\n", request.room, request.on ? "locked" : "open");
  }
  if (request.action == qps::AdminAction::kStats) {
    for (const auto& [name, value] : data.items()) {
      text += fmt::format("{:<16} {:>16}\n", printable(name), printable(dump(value)));
    }
    return text;
  }
  if (request.action == qps::AdminAction::kCluster) {
    text = fmt::format(
        "node {}; the directory answers: {}; names: {}\n{:>8}  {:>8}  {:<5}  {:<24} node\n",
        field(data, "node"), field(data, "directory"), field(data, "names"), "members", "draining",
        "dead", "address");
    for (const json& node : list_in(data, "nodes")) {
      text += fmt::format("{:>8}  {:>8}  {:<5}  {:<24} {} {}\n", field(node, "members"),
                          field(node, "draining"), field(node, "dead"), field(node, "address"),
                          field(node, "name"), field(node, "region"));
    }
    text +=
        fmt::format("{:>6}  {:>6}  {:>8}  {:>12}  link to\n", "ready", "rooms", "members", "bytes");
    for (const json& link : list_in(data, "links")) {
      text += fmt::format("{:>6}  {:>6}  {:>8}  {:>12}  {}\n", field(link, "ready"),
                          field(link, "rooms"), field(link, "members"), field(link, "bytes"),
                          field(link, "node"));
    }
    return text;
  }
  if (request.room.empty()) {
    if (data["rooms"].empty()) return "no rooms\n";
    text = fmt::format("{:>8}  {:>10}  room\n", "members", "publishing");
    for (const json& room : data["rooms"]) {
      text += fmt::format("{:>8}  {:>10}  {}\n", field(room, "members"), field(room, "publishing"),
                          field(room, "room"));
    }
    return text;
  }
  text = fmt::format("{:>9}  {:>5}  {:>8}  {:<24} name\n", "publishes", "seats", "seconds", "from");
  for (const json& member : data["members"]) {
    text += fmt::format("{:>9}  {:>5}  {:>8}  {:<24} {}\n", field(member, "publishes"),
                        field(member, "seats"), field(member, "seconds"), field(member, "address"),
                        field(member, "name"));
  }
  return text;
}

ExitCode admin(const AdminArguments& a, qps::AdminAction action, const CommonOptions& common) {
  const auto usage = [](const std::string& message) {
    log_error("{}", message);
    return kExitUsage;
  };
  auto to = destination_of(a.url, a.transport, a.client);
  if (!to) return usage(to.error().message);
  const auto token = shown_token(a.token);
  if (!token) return usage(token.error().message);
  qps::Admin request{.action = action,
                     .token = *token,
                     .room = a.room,
                     .name = a.name,
                     .reason = a.reason,
                     .after = {}};
  if (!qps::asks(action)) {
    request.room = to->url.name;
    request.on = !a.off;
    if (!qps::is_name(request.room)) return usage("the room is the URL's path: qvid://host/room");
    if (action != qps::AdminAction::kLock && !qps::is_name(request.name)) {
      return usage("a name has 1 to 64 bytes");
    }
    if (action == qps::AdminAction::kHold) request.track = kSoundTrack;
  }
  if (request.reason.size() > qps::kMaxReason) return usage("--reason: at most 200 bytes");
  if (request.room.size() > qps::kMaxName) return usage("a room's name has at most 64 bytes");

  AdminTalk talk(*std::move(to), request);
  if (const ExitCode code = talk.run(); code != kExitOk) return code;
  fmt::print("{}", common.json ? dump(talk.data()) + "\n" : answer_text(request, talk.data()));
  return kExitOk;
}

CLI::App* add_action(CLI::App& admin, const char* name, const char* what, AdminArguments& a) {
  CLI::App* c = admin.add_subcommand(name, what);
  c->add_option("url", a.url,
                "qvid://broker[:port]; for kick, mute and lock with the room: qvid://broker/room")
      ->required();
  add_token_options(*c, a.token);
  add_transport_options(*c, a.transport);
  add_client_options(*c, a.client);
  return c;
}

}  // namespace

Run add_admin(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<AdminArguments>();
  CLI::App* c = qvid.add_subcommand("admin", "See who is at a broker, and keep order in its rooms");
  c->require_subcommand(1);
  c->footer(
      "It needs a token with the right `admin` (qvid token --rights admin --room '*' --name '*'); a broker\n"
      "without tokens is administered from its own machine.");
  CLI::App* rooms = add_action(*c, "rooms", "List the rooms, or the members of one", *a);
  rooms->add_option("room", a->room, "List the members of this room");
  CLI::App* stats = add_action(*c, "stats", "Show what the broker has counted", *a);
  CLI::App* cluster =
      add_action(*c, "cluster", "Show the nodes of the broker's cluster, and its links", *a);
  CLI::App* kick = add_action(*c, "kick", "Remove a member; its program ends with the reason", *a);
  kick->add_option("name", a->name, "Whom")->required();
  kick->add_option("--reason", a->reason, "Told to who is removed, and to the others");
  CLI::App* mute = add_action(*c, "mute", "Let a member's sound through to nobody", *a);
  mute->add_option("name", a->name, "Whom")->required();
  mute->add_flag("--off", a->off, "Let it through again");
  CLI::App* lock = add_action(*c, "lock", "Let nobody else join a room", *a);
  lock->add_flag("--off", a->off, "Open it again");
  return [a, rooms, stats, cluster, mute, lock, &common] {
    using enum qps::AdminAction;
    const auto action = rooms->parsed()     ? kRooms
                        : stats->parsed()   ? kStats
                        : cluster->parsed() ? kCluster
                        : mute->parsed()    ? kHold
                        : lock->parsed()    ? kLock
                                            : kKick;
    return admin(*a, action, common);
  };
}

}  // namespace qvid::app
