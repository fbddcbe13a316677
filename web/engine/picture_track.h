// The guest's own pictures, as a track of a room: of its camera, or what it shares. The browser encodes,
// and what is sent when is decided as natives do it (media/live/live_sender.h,
// transport/rate/receiver_rate.h).
//
//   device --> on_picture --encode, or not--> the browser's encoder --> on_encoded --> RoomClient
//
// An encoder that leaves pictures out counts them all the same, and behind such a gap decoders begin
// to hold pictures back: so they are numbered anew (media/codec/h264/h264_plain.h). A picture that refers to
// one that is not here is not sent.
//
// Two temporal layers where the encoder makes them: every second picture is the enhancement, which
// nothing refers to. It is what a narrow way gives up first, so it is the base that must fit the
// weakest viewer, where viewers differ (media/live/encoder_rate.h). Otherwise each picture refers to
// the one before.
//
// The browser's encoder cannot be told what was lost: where the base breaks, and where the broker asks
// for a beginning, it makes a key frame, at most one in 500 ms (media/live/sync_requests.h); and one
// every kGroup frames, as several watch.
//
// Bounds: kMostEncoding pictures in the encoder, then new ones are left; LiveSender's.
// Thread: the worker's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include "app/room/room_tracks.h"
#include "media/codec/h264/h264_plain.h"
#include "media/live/encoder_rate.h"
#include "media/live/live_sender.h"
#include "media/live/sync_requests.h"
#include "media/picture/video_frame.h"
#include "pubsub/client/room_client.h"
#include "transport/rate/receiver_rate.h"

namespace qvid::web {

// What the two differ in.
struct PictureKind {
  const char* track;  // app/room/room_tracks.h
  bool share;
  media::Preference prefer;
  DataRate most;  // as natives have it, where a browser's encoder makes use of it
};
inline constexpr PictureKind kOfCamera{.track = app::kPictureTrack,
                                       .share = false,
                                       .prefer = media::Preference::kMotion,
                                       .most = DataRate::from_kbps(1500)};
inline constexpr PictureKind kOfShare{.track = app::kShareTrack,
                                      .share = true,
                                      .prefer = media::Preference::kDetail,
                                      .most = DataRate::from_kbps(2500)};

class PictureTrack {
 public:
  static constexpr int kGroup = 60;  // frames
  static constexpr std::size_t kMostEncoding = 3;
  static constexpr Duration kPatience = std::chrono::seconds(1);  // with a picture in the encoder
  static constexpr DataRate kLeastRate = DataRate::from_kbps(100);
  // Of two temporal layers, as browsers' encoders divide them.
  static constexpr double kBaseShare = 0.6;

  explicit PictureTrack(const PictureKind& kind);

  // `client` stays until left().
  void joined(qps::RoomClient& client);
  void left();
  // There is something to show, or no more.
  void turn_on(bool on);
  bool on() const { return on_; }

  // A picture has come. Under which ticket to encode it; below zero: as a key frame, of that number;
  // 0: not at all.
  int on_picture(Timestamp now);
  // What became of that. `data`: annex B, a key frame with its parameter sets; empty: nothing.
  void on_encoded(int ticket, bool key, media::PictureSize size, std::span<const std::byte> data,
                  Timestamp now);

  void on_wanted(bool wanted);
  bool wanted() const { return wanted_; }
  void on_begin() { requests_.ask(0); }
  void on_demand(const qps::Demand& demand);
  // Its part of the path.
  void on_path_rate(const paceline::PathRate& path);
  void on_part_ended(const qps::PartId& id, bool delivered, ByteCount sent, Timestamp now);
  // Every few milliseconds.
  void turn(Timestamp now);
  // Of late.
  ByteCount offered(Timestamp now) const {
    return meter_.read(now, paceline::DeliveryMeter::kMemory, {}).offered;
  }
  std::int64_t frames() const { return sender_.frames(); }
  std::int64_t enhancements() const { return enhancements_; }  // of these, as the encoder made them
  DataRate rate() const { return told_; }

 private:
  void publish();
  void restart();
  void poll(Timestamp now);
  void send(const media::LiveSender::Send& send, Timestamp now);
  void cancel(const std::vector<media::UnitKey>& units);
  void tell_encoder();
  DataRate wanted_rate();
  void ask_for_key();
  // False: what it refers to is not here.
  bool number_anew(media::CodedUnit& unit);

  const PictureKind kind_;
  qps::RoomClient* client_ = nullptr;
  bool on_ = false;
  bool wanted_ = false;
  media::LiveSender sender_;
  paceline::DeliveryMeter meter_;
  paceline::ReceiverRate rate_{kind_.most};
  qps::Demand demand_;
  media::SyncRequests requests_;
  std::map<int, Timestamp> encoding_;  // captured, by ticket
  FrameNumber next_;
  FrameNumber reference_;  // the latest that others may refer to
  bool enhanced_ = false;  // the latest is none
  bool layered_ = false;   // every second one is
  std::int64_t enhancements_ = 0;
  media::EncoderRate common_;
  media::H264Plain numbered_;
  bool plain_ = false;      // what the encoder makes can be numbered anew
  int since_key_ = kGroup;  // frames asked for
  int behind_key_ = 0;      // frames encoded
  bool key_made_ = false;   // what the encoder gives refers to something here
  Timestamp measured_{};
  DataRate told_;  // what the encoder is told to make; zero: nothing
};

}  // namespace qvid::web
