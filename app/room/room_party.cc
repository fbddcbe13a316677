#include "app/room/room_party.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "app/log/log.h"
#include "app/options/self.h"
#include "app/protocol/video_about.h"
#include "app/reception/late_sound.h"
#include "base/clock.h"
#include "base/text.h"
#include "pubsub/wire/json_fields.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

constexpr Duration kPartyTick = std::chrono::milliseconds(500);

// With its sound, which is then the member's: the camera has none.
bool film_is_shared(const PartyOptions& options) {
  return options.share && options.share->source_options.sound;
}

}  // namespace

RoomParty::RoomParty(boost::asio::io_context& io, PartyOptions options, PartySeats& seats,
                     RoomSound* sound, RoomChat* chat, Callbacks callbacks)
    : io_(io),
      options_(std::move(options)),
      self_(self_for(options_.url)),
      nodes_(options_.url, options_.trust != nullptr),
      callbacks_(std::move(callbacks)),
      seats_(seats),
      sound_(sound),
      chat_(chat),
      retry_timer_(io),
      move_timer_(io),
      tick_timer_(io),
      best_(io, options_.best, [this] { watch(); }),
      preferred_(io, "", [this] { watch_pictures(); }),
      shown_heights_(options_.watches ? std::nullopt : std::optional(ShownHeights())),
      source_(
          io, kPictureTrack, film_is_shared(options_), options_.window, options_.prefer,
          options_.source,
          {.own_picture = callbacks_.own_picture,
           .status = callbacks_.source_status,
           .notice = callbacks_.notice,
           .others = {.all_decode = [this](std::string_view c) { return members_.all_decode(c); },
                      .lines = [this] { return members_.lines_of(options_.name); }},
           .ended = [this] { on_source_ended(); },
           .fault = [this](const std::string& why) { on_camera_fault(why); }}),
      share_(
          io, kShareTrack, !film_is_shared(options_), options_.window, media::Preference::kDetail,
          options_.share,
          {.own_picture = callbacks_.own_share,
           .status = [](const media::SourceSpec&, const media::SourceStatus&) {},
           .notice = callbacks_.notice,
           .others = {.all_decode = [this](std::string_view c) { return members_.all_decode(c); }},
           .ended = [this] { note_share(); }}) {}

void RoomParty::start() {
  note_share();
  connect();
  tick();
}

void RoomParty::stop() {
  if (!ended_) end(kExitOk, "stopped");
}

void RoomParty::end(ExitCode code, const std::string& why) {
  if (std::exchange(ended_, true)) return;
  retry_timer_.cancel();
  tick_timer_.cancel();
  best_.stop();
  preferred_.stop();
  source_.stop();
  share_.stop();
  if (sound_ != nullptr) sound_->left();
  if (chat_ != nullptr) chat_->left();
  seats_.left();
  move_timer_.cancel();
  client_.reset();
  former_.reset();
  next_.reset();
  callbacks_.ended(code, why);
}

void RoomParty::set_status(std::string status) {
  {
    const std::lock_guard lock(mutex_);
    report_.status = std::move(status);
  }
  callbacks_.changed();
}

qps::Join RoomParty::join() const {
  nlohmann::json attributes = {{kDecodesAttribute, seats_.decodes()}};
  if (shown_heights_) attributes[kHeightsAttribute] = shown_heights_->attribute();
  if (options_.records) attributes[qps::kRecording] = true;
  if (sound_ != nullptr && sound_->publishes()) attributes["muted"] = sound_->muted_to_join();
  std::vector<std::string> knows{qps::kKnowsHands, qps::kKnowsOrder};
  if (chat_ != nullptr) knows.emplace_back(qps::kKnowsChat);
  return {.room = options_.url.name,
          .name = options_.name,
          .token = options_.token,
          .attributes = std::move(attributes),
          .knows = std::move(knows),
          .self = self_};
}

// What a former membership still tells is of its seats and tracks alone, for the other one tells the rest; and what
// one tells that has ended already, nobody wants to know.
qps::RoomClient::Callbacks RoomParty::client_callbacks(int number) {
  const auto now = [this, number](auto handle) {
    return [this, number, handle](const auto&... told) {
      if (number == number_) handle(told...);
    };
  };
  const auto publisher = [this, number](auto handle) {
    return [this, number, handle](const std::string& track, const auto&... told) {
      if (auto* const of = publisher_of(track, number)) handle(*of, told...);
    };
  };
  return {
      .joined = [this, number] { on_let_in(number); },
      .member = now([this](const qps::Member& member) { on_member(member); }),
      .listed = now([this] { told_of_all_ = true; }),
      .left = now([this](const qps::Left& left) { on_member_left(left.name); }),
      .seat = [this, number](const qps::Seat& seat) { on_seat(seat, number); },
      .part = [this, number](std::uint32_t viewer, int seat,
                             qps::Part&& part) { on_part(viewer, seat, part, number); },
      .not_watched = now([this](const qps::NotWatched& refused) { on_not_watched(refused); }),
      .wanted = [this, number](const std::string& track,
                               bool wanted) { on_wanted(track, wanted, number); },
      .losses_told = publisher([](RoomPublisher& of, bool on) { of.on_losses_told(on); }),
      .lost = publisher([](RoomPublisher& of, const qps::PartId& id) { of.on_lost(id); }),
      .begin = publisher([](RoomPublisher& of) { of.on_begin(); }),
      .demand =
          [this, number](const std::string& track, const qps::Demand& demand) {
            if (track == kSoundTrack && sound_ != nullptr && number == number_) {
              sound_->on_demand(demand, steady_now());
            }
            if (auto* const of = publisher_of(track, number)) of->on_demand(demand);
          },
      .said = now([this](const qps::Said& said) {
        if (chat_ != nullptr) chat_->said(said);
      }),
      .not_said = now([this](const qps::NotSaid& refused) {
        if (chat_ != nullptr) chat_->not_said(refused);
      }),
      .hand = now([this](const qps::Hand& hand) { on_hand(hand); }),
      .held = now([this](const qps::Held& held) { on_held(held); }),
      .locked = now([this](bool on) { on_locked(on); }),
      .nodes = now([this] { nodes_.told(client_->other_nodes()); }),
      .answer = now([this](const qps::Answer& answer) {
        if (!answer.error.empty())
          callbacks_.notice(ui::filled(ui::tr("not done: {}"), answer.error));
      }),
      .part_ended =
          [this, number](const std::string& track, const qps::PartId& id, bool delivered,
                         ByteCount sent) {
            if (track == kSoundTrack && sound_ != nullptr) sound_->on_part_ended(delivered);
            if (auto* const of = publisher_of(track, number))
              of->on_part_ended(id, delivered, sent);
          },
      .path_rate = [this, number](const paceline::PathRate& path) { on_path_rate(path, number); },
      .moving = [this, number] { return number == number_ && move(); },
      .ended = [this, number](const std::string& reason,
                              bool final) { on_ended(number, reason, final); }};
}

void RoomParty::on_joined() {
  joined_at_ = steady_now();
  nodes_.told(client_->other_nodes());
  {
    const std::lock_guard lock(mutex_);
    report_.joined = report_.has_joined = true;
    report_.order = {
        .hands = client_->broker_knows(qps::kKnowsHands),
        .moderates = client_->administers() && client_->broker_knows(qps::kKnowsOrder)};
  }
  set_status("");
  log_info("joined the room '{}' as '{}'", printable(options_.url.name), printable(options_.name));
  sound_watch_.reset();
  watch();
  source_.joined(*client_);
  share_.joined(*client_);
  if (sound_ != nullptr) sound_->joined(*client_);
  if (chat_ != nullptr) chat_->joined(*client_);
  if (hand_up_) client_->raise_hand(true);
  // As they are now: the client may have been made a while ago.
  if (shown_heights_) client_->set_attributes({{kHeightsAttribute, shown_heights_->attribute()}});
}

void RoomParty::on_member(const qps::Member& member) {
  const RoomMembers::News news = members_.note(member);
  if (news.hand && told_of_all_) {
    const std::string text = ui::filled(ui::tr("{} raises a hand"), printable(member.name));
    callbacks_.attention(text);
    callbacks_.notice(text);
  }
  if (news.shares && told_of_all_)
    callbacks_.notice(ui::filled(ui::tr("{} shares something"), printable(member.name)));
  if (news.came && told_of_all_) {
    const bool records = qps::flag_field(member.attributes, qps::kRecording).value_or(false);
    const char* const wording =
        !member.other ? (records ? ui::tr("{} joined, and records") : ui::tr("{} joined"))
        : records     ? ui::tr("{} joined, and records: not who had this name before")
                      : ui::tr("{} joined: not who had this name before");
    const std::string text = ui::filled(wording, printable(member.name));
    if (members_.count() == 1 && !records) callbacks_.attention(text);
    callbacks_.notice(text);
  }
  on_members_changed();
  callbacks_.changed();
}

void RoomParty::on_member_left(const std::string& name) {
  if (!members_.leave(name)) return;  // it had gone before one was told of it
  on_members_changed();
  callbacks_.notice(ui::filled(ui::tr("{} left"), printable(name)));
  callbacks_.changed();
}

void RoomParty::on_members_changed() {
  for (RoomPublisher* publisher : publishers()) publisher->on_members_changed();
}

void RoomParty::set_source(std::optional<media::LiveInOptions> source) {
  source_.set(std::move(source));
  callbacks_.changed();
}

void RoomParty::on_source_ended() {
  if (!options_.watches) return end(kExitOk, "the source ended");
  callbacks_.changed();
}

void RoomParty::on_camera_fault(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    report_.camera_fault = why;
  }
  callbacks_.changed();
}

void RoomParty::on_seat(const qps::Seat& seat, int number) {
  const auto of = membership(number);
  if (!of) return;
  if (const auto shown = places_.on_seat(seat, *of)) show(*shown);
}

void RoomParty::show(const qps::Seat& seat) {
  if (seat.viewer == kSoundViewer) {
    seats_.hear(seat);
  } else {
    seats_.show(seat);
  }
  callbacks_.changed();
}

void RoomParty::on_part(std::uint32_t viewer, int seat, const qps::Part& part, int number) {
  const auto of = membership(number);
  const auto at = of ? places_.on_part(viewer, seat, *of) : std::nullopt;
  if (!at) return;
  if (at->show) {
    show(*at->show);
    on_seat_moved(viewer);
  }
  const Timestamp now = steady_now();
  if (viewer == kSoundViewer) {
    seats_.on_sound(at->place, static_cast<std::uint64_t>(part.id.item), part.data, now);
  } else {
    seats_.on_picture(viewer, at->place, media_position(part.id), part.data, now);
  }
}

void RoomParty::on_wanted(const std::string& track, bool wanted, int number) {
  const auto of = membership(number);
  if (track == kSoundTrack && sound_ != nullptr && of) {
    sound_->on_wanted(wanted, *of == SeatPlaces::Of::kFormer);
  }
  if (auto* const publisher = publisher_of(track, number)) publisher->on_wanted(wanted);
  if (of == SeatPlaces::Of::kFormer) settle_if_over();
}

void RoomParty::tick() {
  tick_timer_.after(kPartyTick, [this] {
    const Timestamp now = steady_now();
    Duration late{};
    if (client_) {
      client_->set_held(seats_.held());
      const auto signals = client_->signals();
      late = late_sound(signals);
      if (sound_ != nullptr && client_->joined()) {
        const DataRate path = picture_path();
        path == DataRate() ? sound_->on_signals(signals, now) : sound_->on_path(path, now);
      }
      const std::lock_guard lock(mutex_);
      report_.network = signals;
      if (source_.publisher() != nullptr) {
        report_.frames_published = source_.publisher()->frames();
      }
      if (share_.publisher() != nullptr) report_.frames_shared = share_.publisher()->frames();
    }
    if (seats_.tick(late, now)) watch_sound();
    begin_anew(now);
    callbacks_.changed();
    if (!ended_) tick();
  });
}

void RoomParty::begin_anew(Timestamp now) {
  if (!client_ || !client_->joined() || !begin_anew_.due(seats_.decode_errors(), now)) return;
  log_warning("a frame could not be decoded: the pictures begin anew");
  for (const std::uint32_t viewer : {kPictureViewer, kShareViewer}) {
    client_->pause(viewer);
    client_->resume(viewer);
  }
}

PartyReport RoomParty::report() const {
  PartyReport report;
  {
    const std::lock_guard lock(mutex_);
    report = report_;
  }
  report.members = members_.all();
  if (sound_ != nullptr) sound_->add_to(report);
  seats_.add_to(report);
  return report;
}

}  // namespace qvid::app
