#include "app/room/room_party.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cmath>
#include <utility>

#include "app/protocol/video_about.h"
#include "app/reception/late_sound.h"
#include "base/clock.h"
#include "base/text.h"
#include "pubsub/broker/broker.h"
#include "pubsub/wire/json_fields.h"

namespace qvid::app {
namespace {

constexpr std::uint32_t kViewer = 1;
constexpr Duration kFrameTime = std::chrono::milliseconds(34);  // what a window is counted in
// A broker has missed a client that went without a word by then.
constexpr Duration kOldSessionGone = std::chrono::seconds(15);
constexpr Duration kLasting = std::chrono::seconds(10);  // a membership that was no failure
// Somewhat over the broker's limit.
constexpr Duration kBestInterval = 5 * qps::Broker::kCriteriaInterval / 4;
constexpr Duration kBestTaken = std::chrono::seconds(2);
constexpr Duration kPartyTick = std::chrono::milliseconds(500);

// Whatever a peer has told: what is no such thing is as if it were not there.
MemberVoice voice_of(const nlohmann::json& attributes) {
  MemberVoice voice;
  voice.state.speaking = qps::flag_field(attributes, "speaking").value_or(false);
  if (const auto loudness = attributes.find("loudness");
      loudness != attributes.end() && loudness->is_number()) {
    voice.state.loudness = std::clamp(loudness->get<double>(), -127.0, 0.0);
  }
  voice.muted = qps::flag_field(attributes, "muted").value_or(false);
  return voice;
}

}  // namespace

RoomParty::RoomParty(boost::asio::io_context& io, PartyOptions options,
                     std::optional<RoomSoundOptions> sound, Callbacks callbacks)
    : io_(io),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      seats_(options_.window, clocks_,
             callbacks_.coded_seat ? SeatPlaybacks::OnPicture() : callbacks_.picture),
      retry_timer_(io),
      tick_timer_(io),
      best_timer_(io) {
  if (!sound) return;
  if (sound->engine.input) options_.attributes["muted"] = sound->muted;
  sound_ = std::make_unique<RoomSound>(io, clocks_, *std::move(sound),
                                       [this](const media::VoiceState& voice) { on_voice(voice); });
}

RoomParty::~RoomParty() = default;

void RoomParty::start() {
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
  best_timer_.cancel();
  publisher_.reset();
  feed_ = nullptr;
  for (const auto& feed : feeds_) feed->request_stop();
  if (sound_) sound_->on_left();
  client_.reset();
  callbacks_.ended(code, why);
}

void RoomParty::set_status(std::string status) {
  {
    const std::lock_guard lock(mutex_);
    report_.status = std::move(status);
  }
  callbacks_.changed();
}

void RoomParty::connect() {
  set_status("connecting to " + options_.url.address.text());
  told_of_all_ = false;
  client_ = std::make_unique<qps::RoomClient>(
      io_, paceline::Session::Remote{.address = options_.url.address, .trust = options_.trust},
      options_.session,
      qps::Join{.room = options_.url.name,
                .name = options_.name,
                .token = options_.token,
                .attributes = options_.attributes},
      qps::RoomClient::Callbacks{
          .joined = [this] { on_joined(); },
          .member = [this](const qps::Member& member) { note_member(member); },
          .listed = [this] { told_of_all_ = true; },
          .left =
              [this](const qps::Left& left) {
                {
                  const std::lock_guard lock(mutex_);
                  members_.erase(left.name);
                  publishers_.erase(left.name);
                  voices_.erase(left.name);
                }
                callbacks_.notice(printable(left.name) + " left");
                callbacks_.changed();
              },
          .seat = [this](const qps::Seat& seat) { on_seat(seat); },
          .part =
              [this](std::uint32_t viewer, int seat, qps::Part&& part) {
                if (viewer == RoomSound::kViewer) return on_sound_part(seat, part);
                on_part(seat, std::move(part));
              },
          .not_watched =
              [this](const qps::NotWatched& refused) {
                if (best_before_) options_.best = *best_before_;
                spdlog::warn("criteria refused: {}", refused.reason);
                callbacks_.notice("criteria refused: " + refused.reason);
              },
          .wanted =
              [this](const std::string& track, bool wanted) {
                if (track == kSoundTrack) {
                  if (sound_) sound_->on_wanted(wanted);
                } else if (publisher_) {
                  publisher_->on_wanted(wanted);
                }
              },
          .begin =
              [this](const std::string& track) {
                if (publisher_ && track != kSoundTrack) publisher_->on_begin();
              },
          .demand =
              [this](const std::string& track, const qps::Demand& demand) {
                if (publisher_ && track != kSoundTrack) publisher_->on_demand(demand);
              },
          .part_ended =
              [this](const std::string& track, const qps::PartId& id, bool delivered,
                     ByteCount sent) {
                if (track == kSoundTrack) {
                  if (sound_) sound_->on_part_ended(delivered);
                } else if (publisher_) {
                  publisher_->on_part_ended(id, delivered, sent);
                }
              },
          .path_slowed =
              [this](DataRate rate) {
                if (publisher_) publisher_->on_path_slowed(rate);
              },
          .ended = [this](const std::string& reason, bool final) { on_left(reason, final); }});
}

void RoomParty::on_joined() {
  joined_at_ = steady_now();
  {
    const std::lock_guard lock(mutex_);
    report_.joined = true;
    members_.clear();
    publishers_.clear();
    voices_.clear();
  }
  coded_sounds_.clear();
  seats_.clear();  // the broker tells of those that show somebody
  set_status("");
  spdlog::info("joined the room '{}' as '{}'", printable(options_.url.name),
               printable(options_.name));
  watch();
  start_source();
  if (sound_) sound_->on_joined(*client_);
}

void RoomParty::note_member(const qps::Member& member) {
  bool news = false;
  {
    const std::lock_guard lock(mutex_);
    news = members_.insert(member.name).second;
    publishers_.erase(member.name);
    voices_.erase(member.name);
    for (const std::string& track : member.tracks) {
      if (track.empty()) publishers_.insert(member.name);
      if (track == kSoundTrack) voices_[member.name] = voice_of(member.attributes);
    }
  }
  if (news && told_of_all_) callbacks_.notice(printable(member.name) + " joined");
  callbacks_.changed();
}

// Attributes last as long as the membership: who comes back says them anew.
void RoomParty::on_voice(const media::VoiceState& voice) {
  if (!client_ || !client_->joined()) return;
  client_->set_attributes({{"speaking", voice.speaking}, {"loudness", std::round(voice.loudness)}});
}

void RoomParty::set_muted(bool muted) {
  if (!sound_ || !sound_->publishes()) return;
  sound_->set_muted(muted);
  options_.attributes["muted"] = muted;
  if (client_ && client_->joined()) client_->set_attributes({{"muted", muted}});
  callbacks_.changed();
}

void RoomParty::set_volume(const std::string& name, float volume) {
  if (sound_) sound_->set_volume(name, volume);
}

void RoomParty::set_volume_of_all(float volume) {
  if (sound_) sound_->set_volume_of_all(volume);
}

void RoomParty::on_left(const std::string& reason, bool final) {
  if (ended_) return;
  {
    const std::lock_guard lock(mutex_);
    report_.joined = false;
  }
  publisher_.reset();
  if (sound_) sound_->on_left();
  const bool removed = client_ && client_->removed();
  // Called by the client itself, which shall not go from under its feet.
  boost::asio::post(io_, [old = std::shared_ptr<qps::RoomClient>(std::move(client_))] {});
  const Timestamp now = steady_now();
  const bool was_member = joined_at_.has_value();
  if (const auto joined = std::exchange(joined_at_, std::nullopt)) {
    lost_at_ = now;
    if (now - *joined > kLasting) backoff_.reset();
  }
  // Refused because of a name that its own old session may still have.
  const bool may_be_own = lost_at_ && now - *lost_at_ < kOldSessionGone;
  if (removed || (final && (was_member || !may_be_own))) return end(kExitRefused, reason);
  if (!options_.retry) return end(kExitUnreachable, reason);
  const Duration wait = backoff_.next();
  const std::string text = fmt::format("{}; trying again in {:.2g} s", reason, to_seconds(wait));
  spdlog::warn("{}", text);
  set_status(text);
  retry_timer_.after(wait, [this] {
    {
      const std::lock_guard lock(mutex_);
      ++report_.reconnections;
    }
    connect();
  });
}

void RoomParty::start_source() {
  publisher_.reset();
  if (!options_.source || !client_) return;
  if (feed_ == nullptr) {
    feeds_.push_back(std::make_unique<Feed>(
        io_, *options_.source,
        [](Feed* feed, const media::SourceStatus& status) {
          spdlog::log(status.ok ? spdlog::level::info : spdlog::level::warn, "{}: {}",
                      feed->options().source.text(), status.text);
        },
        [this](Feed* over) {
          RoomParty* const self = this;  // what holds this function goes with the feed
          const bool by_itself = feed_ == over;
          if (by_itself) feed_ = nullptr;
          std::erase_if(feeds_, [&](const auto& feed) { return feed.get() == over; });
          if (by_itself) self->on_source_ended();
        },
        callbacks_.own_picture));
    feed_ = feeds_.back().get();
  }
  publisher_ = std::make_unique<RoomPublisher>(
      io_, *client_, *feed_, options_.window, options_.prefer, [](Feed*) {},
      [this](const std::string& reason) { callbacks_.notice("the source ended: " + reason); });
}

void RoomParty::on_source_ended() {
  publisher_.reset();
  options_.source.reset();
  if (!options_.watches) return end(kExitOk, "the source ended");
  callbacks_.changed();
}

void RoomParty::set_source(std::optional<media::LiveInOptions> source) {
  options_.source = std::move(source);
  publisher_.reset();
  if (feed_ != nullptr) std::exchange(feed_, nullptr)->request_stop();
  start_source();
  callbacks_.changed();
}

void RoomParty::watch() {
  if (!options_.watches || !client_ || !client_->joined()) return;
  best_changed_ = steady_now();
  client_->watch({.viewer = kViewer,
                  .names = options_.names,
                  .best = options_.best,
                  .seats = options_.seats,
                  .window = kFrameTime * options_.window});
  if (!callbacks_.coded_sound) return;
  client_->watch({.viewer = RoomSound::kViewer,
                  .names = options_.names,
                  .best = options_.best,
                  .seats = options_.seats,
                  .window = kFrameTime * options_.window,
                  .track = kSoundTrack});
}

void RoomParty::set_names(std::vector<std::string> names) {
  options_.names = std::move(names);
  if (sound_) sound_->set_names(options_.names);
  watch();
}

void RoomParty::set_best(std::string best) {
  if (best.size() > qps::kMaxCriterion) {
    return callbacks_.notice(
        fmt::format("criteria refused: they have more than {} bytes", qps::kMaxCriterion));
  }
  if (ended_ || std::exchange(next_best_, std::move(best))) return;
  const Timestamp now = steady_now();
  best_timer_.after(std::max(best_changed_ + kBestInterval - now, Duration::zero()), [this] {
    // Taken is what no refusal came for in a while.
    if (steady_now() - best_changed_ > kBestTaken) best_before_ = options_.best;
    options_.best = *std::exchange(next_best_, std::nullopt);
    watch();
  });
}

void RoomParty::on_seat(const qps::Seat& seat) {
  if (seat.viewer == RoomSound::kViewer) return on_sound_seat(seat);
  if (callbacks_.coded_seat) callbacks_.coded_seat(seat);
  seats_.show(seat);
  callbacks_.changed();
}

void RoomParty::on_sound_seat(const qps::Seat& seat) {
  if (callbacks_.coded_sound) coded_sounds_[seat.seat] = seat.name;
  if (sound_) sound_->on_seat(seat);
  callbacks_.changed();
}

void RoomParty::on_sound_part(int seat, const qps::Part& part) {
  if (sound_) return sound_->on_part(seat, part, steady_now());
  const auto it = coded_sounds_.find(seat);
  if (it != coded_sounds_.end()) callbacks_.coded_sound(it->second, part.data);
}

void RoomParty::on_part(int seat, qps::Part&& part) {
  if (callbacks_.coded_message) {
    return callbacks_.coded_message(seat, media_position(part.id), part.data);
  }
  seats_.on_message(seat, media_position(part.id), part.data, steady_now());
}

void RoomParty::tick() {
  tick_timer_.after(kPartyTick, [this] {
    Duration late{};
    if (client_) {
      const auto signals = client_->signals();
      const std::lock_guard lock(mutex_);
      report_.network = signals;
      if (publisher_) report_.frames_published = publisher_->frames();
      late = late_sound(signals);
    }
    if (sound_) {
      const Timestamp now = steady_now();
      if (publisher_) sound_->on_path(publisher_->path(), now);
      sound_->expect_late(late);
      sound_->tick(now);
    }
    seats_.tidy();
    callbacks_.changed();
    if (!ended_) tick();
  });
}

PartyReport RoomParty::report() const {
  PartyReport report;
  {
    const std::lock_guard lock(mutex_);
    report = report_;
    report.members.assign(members_.begin(), members_.end());
    report.publishers.assign(publishers_.begin(), publishers_.end());
    report.voices = voices_;
  }
  seats_.add_to(report.seats, report.seen);
  if (sound_) report.sound = sound_->report();
  return report;
}

}  // namespace qvid::app
