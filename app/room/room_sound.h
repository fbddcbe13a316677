// A party's own sound, as the track `sound` of a room; and the engine that plays what it hears
// (heard_seats.h).
//
//   SoundEngine -> packets -> posted -> items of one part -> RoomClient ==== broker
//
// An item is a packet: one can begin with each, and none needs another. The way to the broker gets
// kPatience, since no listener waits longer; from there on it has as long as each of them says.
// What the broker says of listeners counts for kDemandHolds: of messages as small as these a receiver
// that stalled once is told to take little for long (delivery_meter.h).
//
// How the voice sounds goes into the party's attributes, by which others choose whom they hear.
//
// Queue: sound_post.h. Thread: the io_context's; `add_to` any.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <mutex>
#include <optional>

#include "app/feed/sound_post.h"
#include "app/room/party_report.h"
#include "media/sound/sound_engine.h"
#include "media/sound/sound_rate.h"
#include "pubsub/client/room_client.h"

namespace qvid::app {

struct RoomSoundOptions {
  media::SoundEngineOptions engine;  // without input only what is shared is published
  bool muted = false;                // to begin with
};

class RoomSound {
 public:
  static constexpr Duration kPatience = std::chrono::milliseconds(1500);
  static constexpr Duration kDemandHolds = std::chrono::seconds(10);

  RoomSound(boost::asio::io_context& io, RoomSoundOptions options);
  RoomSound(const RoomSound&) = delete;
  RoomSound& operator=(const RoomSound&) = delete;

  // `client` stays until left(), or until this is destroyed. One before stays until settle(), too, and
  // has the same packets meanwhile.
  void joined(qps::RoomClient& client);
  void settle();
  void left();
  bool former_wanted() const { return former_.wanted; }
  // What the broker says of this track; `former`: the one before.
  void on_wanted(bool wanted, bool former);
  void on_part_ended(bool delivered);
  // What the broker says of this track's listeners.
  void on_demand(const qps::Demand& demand, Timestamp now);
  // What the path of the weakest listener carries, with the picture. Zero: it is not known.
  void on_path(DataRate path, Timestamp now);
  // Instead, where no picture is on its way: what the way to the broker shows. While nothing is
  // sent it shows nothing.
  void on_signals(const paceline::SessionSignals& up, Timestamp now);

  // Another microphone or loudspeaker from now on, as media::SoundEngine has it. An empty function:
  // none; then nothing is published but what is shared, until there is one again.
  void use_microphone(media::SoundEngine::MakeInput make);
  void use_loudspeaker(media::SoundEngine::MakeOutput make);
  // False: nothing is published now; it holds for what will be.
  bool set_muted(bool muted);
  bool muted() const { return engine_->muted(); }
  // The same, for a broker that is about to be joined: what is changed before it lets one in is told then.
  bool muted_to_join() { return *(told_muted_ = silent()); }
  // What other programs play goes along, muted or not; where there is none, that is told, and it does
  // once there is.
  void set_sharing(bool on);
  // There is some, and it would be sent.
  bool can_share() const { return engine_->can_share(); }
  bool publishes() const { return has_microphone_ || sharing_; }
  media::SoundEngine& engine() { return *engine_; }
  void add_to(PartyReport& report) const;

 private:
  void send(const media::SoundPacket& packet);
  void publish(qps::RoomClient& client);
  void follow_published(bool before);
  // Others hear no voice from here.
  bool silent() const { return !has_microphone_ || muted(); }
  void tell(const media::VoiceState& voice);

  boost::asio::io_context& io_;
  std::atomic<bool> has_microphone_;
  const bool may_share_;               // what other programs play
  std::atomic<bool> sharing_ = false;  // it is wished
  // To a broker; null: there is none.
  struct Way {
    qps::RoomClient* client = nullptr;
    bool wanted = false;
  };
  void follow_wanted() { engine_->set_sending(way_.wanted || former_.wanted); }

  Way way_;
  Way former_;
  std::optional<bool> told_muted_;  // to a broker that has not let one in yet
  std::int64_t next_item_ = 0;
  const bool rich_;
  media::SoundRate rate_;
  std::optional<media::SoundCoding> coding_set_;
  DataRate demand_;  // zero: not known
  Timestamp demand_at_{};
  std::int64_t sent_before_ = 0;  // packets, at the last look at the signals

  mutable std::mutex mutex_;  // guards the next
  SoundReport report_;        // without what is heard

  SoundPost post_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
  std::unique_ptr<media::SoundEngine> engine_;  // last: its callbacks end first
};

}  // namespace qvid::app
