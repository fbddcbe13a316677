#include "web/engine/guest.h"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <span>
#include <utility>
#include <vector>

#include "app/protocol/video_about.h"
#include "app/reception/late_sound.h"
#include "app/room/chat_input.h"
#include "app/room/path_parts.h"
#include "app/room/room_tracks.h"
#include "base/ascii.h"
#include "base/clock.h"
#include "base/text.h"
#include "media/codec/codec.h"
#include "transport/wire/keyed_hash.h"
#include "web/engine/events.h"

namespace qvid::web {
namespace {

constexpr Duration kTick = std::chrono::milliseconds(500);
constexpr Duration kTellMembers = std::chrono::milliseconds(100);
constexpr Duration kFrameTime = std::chrono::milliseconds(34);  // what a window is counted in
constexpr int kWindow = 3;                                      // frames
constexpr int kSeats = 9;
// As app/room/room_party_moves.cc has them.
constexpr Duration kOldSessionGone = std::chrono::seconds(15);
constexpr Duration kLasting = std::chrono::seconds(10);
constexpr Duration kHandOver = std::chrono::seconds(2);

std::string random_self() {
  std::array<unsigned char, 16> bytes{};
  paceline::fill_random(std::as_writable_bytes(std::span(bytes)));
  return hexadecimal(bytes);
}

// What somebody sends cannot be shown or played.
void tell_trouble(const std::string& name, const Error& error) {
  const std::string text = printable(name) + ": " + error.message;
  tell_notice(text);
}

}  // namespace

Guest::Guest(boost::asio::io_context& io, GuestOptions options)
    : io_(io),
      options_(std::move(options)),
      self_(random_self()),
      retry_timer_(io),
      tick_timer_(io),
      pictures_(app::kPictureViewer, kWindow, clocks_),
      shares_(app::kShareViewer, kWindow, clocks_),
      sound_(clocks_) {
  connect();
  tick();
}

Guest::~Guest() = default;

void Guest::connect() {
  tell("status", {{"state", "connecting"}});
  client_ = std::make_unique<qps::RoomClient>(
      io_, paceline::Session::Remote{.address = options_.server, .trust = {}}, page_session(),
      join(), callbacks());
}

qps::Join Guest::join() const {
  return {.room = options_.room,
          .name = options_.name,
          .token = options_.token,
          .attributes = {{app::kDecodesAttribute, {media::kPlainCodec}}},
          .knows = {qps::kKnowsHands, qps::kKnowsOrder, qps::kKnowsChat},
          .self = self_};
}

qps::RoomClient::Callbacks Guest::callbacks() {
  return {
      .joined = [this] { on_joined(); },
      .member = [this](const qps::Member& member) { on_member(member); },
      .listed = [this] { listed_ = members_changed_ = true; },
      .left = [this](const qps::Left& left) { members_changed_ |= members_.erase(left.name) > 0; },
      .seat = [this](const qps::Seat& seat) { on_seat(seat); },
      .part = [this](std::uint32_t viewer, int seat,
                     qps::Part&& part) { on_part(viewer, seat, part); },
      .not_watched = [](const qps::NotWatched& refused) { tell_notice(refused.reason); },
      .wanted =
          [this](const std::string& track, bool wanted) {
            if (PictureTrack* const own = own_of(track)) own->on_wanted(wanted);
            if (track == app::kSoundTrack) voice_.on_wanted(wanted);
          },
      .begin =
          [this](const std::string& track) {
            if (PictureTrack* const own = own_of(track)) own->on_begin();
          },
      .demand =
          [this](const std::string& track, const qps::Demand& demand) {
            if (PictureTrack* const own = own_of(track)) own->on_demand(demand);
          },
      .said =
          [](const qps::Said& said) {
            tell("said",
                 {{"from", printable(said.from)},
                  {"text", said.text},
                  {"to", printable(said.to)},
                  {"ago_s", std::chrono::duration_cast<std::chrono::seconds>(said.ago).count()}});
          },
      .not_said = [](const qps::NotSaid& refused) { tell_notice(refused.reason); },
      .hand =
          [this](const qps::Hand& hand) {
            hand_up_ = hand.number != 0;
            tell("hand", {{"up", hand_up_}});
          },
      .held =
          [](const qps::Held& held) {
            if (held.track == app::kSoundTrack) {
              tell("held", {{"on", held.on}});
            } else if (held.track == app::kShareTrack && held.on) {
              tell_notice("who runs the room keeps the others from seeing what you share");
            } else if (held.track == app::kShareTrack) {
              tell_notice("who runs the room lets the others see what you share again");
            } else if (held.on) {
              tell_notice("who runs the room keeps the others from seeing you");
            } else {
              tell_notice("who runs the room lets the others see you again");
            }
          },
      .locked =
          [](bool on) {
            tell("locked", {{"on", on}});
          },
      .answer =
          [](const qps::Answer& answer) {
            if (!answer.error.empty()) tell("refused", {{"reason", printable(answer.error)}});
          },
      .part_ended =
          [this](const std::string& track, const qps::PartId& id, bool delivered, ByteCount sent) {
            PictureTrack* const own = own_of(track);
            if (own != nullptr) own->on_part_ended(id, delivered, sent, steady_now());
          },
      .path_rate = [this](const paceline::PathRate& path) { on_path_rate(path); },
      .ended = [this](const std::string& reason, bool final) { on_ended(reason, final); }};
}

void Guest::on_joined() {
  joined_at_ = steady_now();
  members_.clear();
  listed_ = false;
  clear_seats();
  tell("status", {{"state", "joined"},
                  {"moderates", client_->administers() && client_->broker_knows(qps::kKnowsOrder)},
                  {"chat", client_->broker_knows(qps::kKnowsChat)},
                  {"hands", client_->broker_knows(qps::kKnowsHands)}});
  members_changed_ = true;
  watch();
  camera_.joined(*client_);
  share_.joined(*client_);
  voice_.joined(*client_);
  if (hand_up_) client_->raise_hand(true);
}

// What a new session shows is told anew: a seat of the old one that nobody empties would stay.
void Guest::clear_seats() {
  for (const auto& [viewer, seats] :
       {std::pair(app::kPictureViewer, &pictures_), std::pair(app::kShareViewer, &shares_)}) {
    for (const int seat : seats->clear()) {
      tell("seat", {{"viewer", viewer}, {"seat", seat}, {"name", ""}, {"picture", false}});
    }
  }
  sound_.clear();
}

void Guest::watch() {
  client_->watch({.viewer = app::kPictureViewer,
                  .names = {},
                  .best = "",
                  .seats = kSeats,
                  .window = kFrameTime * kWindow});
  client_->watch(sound_.watch());
  client_->watch({.viewer = app::kShareViewer,
                  .names = {},
                  .best = "",
                  .seats = app::kShareSeats,
                  .window = kFrameTime * kWindow,
                  .track = app::kShareTrack});
}

void Guest::on_member(const qps::Member& member) {
  members_[member.name] = member;
  members_changed_ = true;
}

PictureTrack* Guest::own_of(const std::string& track) {
  if (track == app::kPictureTrack) return &camera_;
  return track == app::kShareTrack ? &share_ : nullptr;
}

void Guest::on_path_rate(const paceline::PathRate& path) {
  std::vector<PictureTrack*> all{&camera_, &share_};
  std::erase_if(all, [](const PictureTrack* own) { return !own->wanted(); });
  app::tell_parts(all, path, steady_now());
}

PictureSeats* Guest::seats_of(std::uint32_t viewer) {
  if (viewer == app::kPictureViewer) return &pictures_;
  if (viewer == app::kShareViewer) return &shares_;
  return nullptr;
}

void Guest::on_seat(const qps::Seat& seat) {
  if (seat.viewer == app::kSoundViewer) {
    if (const auto error = sound_.hear(seat)) {
      tell_trouble(seat.name, *error);
    }
    return;
  }
  PictureSeats* const seats = seats_of(seat.viewer);
  if (seats == nullptr) return;
  const auto error = seats->show(seat);
  if (error) tell_trouble(seat.name, *error);
  tell("seat", {{"viewer", seat.viewer},
                {"seat", seat.seat},
                {"name", printable(seat.name)},
                {"picture", !error && !seat.name.empty()}});
}

void Guest::on_part(std::uint32_t viewer, int seat, const qps::Part& part) {
  if (viewer == app::kSoundViewer) {
    return sound_.on_message(seat, static_cast<std::uint64_t>(part.id.item), part.data,
                             steady_now());
  }
  PictureSeats* const seats = seats_of(viewer);
  if (seats != nullptr) {
    seats->on_message(seat, app::media_position(part.id), part.data, steady_now());
  }
}

// As RoomParty::on_left, with one node.
void Guest::on_ended(const std::string& reason, bool final) {
  camera_.left();
  share_.left();
  voice_.left();
  const bool removed = client_->removed();
  const bool moving = client_->moving();
  // Called by the client itself, which shall not go from under its feet.
  boost::asio::post(io_, [old = std::shared_ptr<qps::RoomClient>(std::move(client_))] {});
  const Timestamp now = steady_now();
  const bool was_member = joined_at_.has_value();
  if (const auto joined = std::exchange(joined_at_, std::nullopt)) {
    lost_at_ = now;
    if (now - *joined > kLasting) backoff_.reset();
  }
  clear_seats();
  members_.clear();
  listed_ = false;
  members_changed_ = true;
  const bool may_be_own = lost_at_ && now - *lost_at_ < kOldSessionGone;
  if (removed || (final && (was_member || !may_be_own))) {
    return tell("status", {{"state", "ended"}, {"reason", printable(reason)}});
  }
  const Duration wait = moving ? backoff_.spread_over(kHandOver) : backoff_.next();
  tell("status",
       {{"state", "waiting"}, {"reason", printable(reason)}, {"seconds", to_seconds(wait)}});
  retry_timer_.after(wait, [this] { connect(); });
}

void Guest::turn(Timestamp now) {
  pictures_.turn(now);
  shares_.turn(now);
  camera_.turn(now);
  share_.turn(now);
  if (!members_changed_ || now - members_told_ < kTellMembers) return;
  members_changed_ = false;
  members_told_ = now;
  tell_members();
}

void Guest::on_decoded(int ticket, std::optional<int> picture, media::PictureSize size,
                       Timestamp now) {
  if (pictures_.on_decoded(ticket, picture, size, now)) return;
  if (shares_.on_decoded(ticket, picture, size, now)) return;
  if (picture) free_picture(*picture);
}

void Guest::say(const std::string& line) {
  std::vector<std::string> names;
  for (const auto& entry : members_) names.push_back(entry.first);
  const app::ChatInput input = app::parse_chat_input(line, names);
  if (!client_ || !client_->say(input.text, input.to)) tell_notice("Your message was not sent.");
}

void Guest::raise_hand(bool up) {
  hand_up_ = up;
  if (client_) client_->raise_hand(up);
}

void Guest::administer(const std::string& what, const std::string& name, bool on) {
  if (!client_ || !client_->joined()) return;
  qps::Admin admin{.action = qps::AdminAction::kLock,
                   .token = {},
                   .room = {},
                   .name = {},
                   .reason = {},
                   .after = {},
                   .on = on};
  if (what != "lock") {
    const auto named = [&](const auto& entry) { return printable(entry.first) == name; };
    const auto member = std::ranges::find_if(members_, named);
    if (member == members_.end()) return;  // it has left meanwhile
    const bool hold = what == "hold";
    admin.action = hold ? qps::AdminAction::kHold : qps::AdminAction::kKick;
    admin.name = member->first;
    if (hold) admin.track = app::kSoundTrack;
  }
  client_->administer(std::move(admin));
}

void Guest::leave() {
  camera_.left();
  share_.left();
  voice_.left();
  retry_timer_.cancel();
  tick_timer_.cancel();
  clear_seats();
  client_.reset();
  joined_at_.reset();
}

void Guest::tick() {
  tick_timer_.after(kTick, [this] {
    const Timestamp now = steady_now();
    if (client_) {
      client_->set_held(std::max(pictures_.held(now), shares_.held(now)));
      const bool changed = sound_.tick(app::late_sound(client_->signals()), now);
      if (changed && client_->joined()) client_->watch(sound_.watch());
      begin_anew(now);
    }
    pictures_.tick(now);
    shares_.tick(now);
    tell_report(now);
    tick();
  });
}

void Guest::begin_anew(Timestamp now) {
  const std::int64_t errors = pictures_.decode_errors(now) + shares_.decode_errors(now);
  if (!client_->joined() || !begin_anew_.due(errors, now)) return;
  for (const std::uint32_t viewer : {app::kPictureViewer, app::kShareViewer}) {
    client_->pause(viewer);
    client_->resume(viewer);
  }
}

}  // namespace qvid::web
