#include "web/engine/picture_track.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "app/protocol/video_about.h"
#include "app/room/frame_items.h"
#include "base/clock.h"
#include "media/codec/codec.h"
#include "media/codec/h264/h264_sequence.h"
#include "media/codec/layers/frame_header.h"
#include "web/engine/browser.h"
#include "web/engine/numbers.h"

namespace qvid::web {
namespace {

constexpr FrameRate kRate{30, 1};
constexpr int kWindow = 3;  // frames
// A change that is worth a word to the encoder.
constexpr double kNotable = 0.1;

Duration useful_for(int frames) {
  return std::clamp(kRate.time_of(std::max(frames, 0)), Duration::zero(), qps::kMaxUsefulFor);
}

}  // namespace

PictureTrack::PictureTrack(const PictureKind& kind)
    : kind_(kind),
      sender_(kRate, kWindow, media::AdaptationPolicy(kind.prefer)),
      common_(kind.most) {}

void PictureTrack::joined(qps::RoomClient& client) {
  client_ = &client;
  requests_.open(steady_now());
  if (on_) publish();
}

void PictureTrack::left() {
  client_ = nullptr;
  on_wanted(false);
}

void PictureTrack::turn_on(bool on) {
  if (std::exchange(on_, on) == on) return;
  if (on && client_ != nullptr) publish();
  if (on) return;
  if (client_ != nullptr) client_->unpublish(kind_.track);
  on_wanted(false);
}

void PictureTrack::publish() {
  client_->publish(
      app::serialise(app::VideoAbout{
          .codec = std::string(media::kPlainCodec), .rate = kRate, .apart = kind_.share}),
      kind_.track);
}

void PictureTrack::on_wanted(bool wanted) {
  if (std::exchange(wanted_, wanted) == wanted) return;
  if (!wanted) {
    restart();
    demand_ = {};
    told_ = {};
    layered_ = false;
    qvid_js_own_rate(kind_.share, 0);
    return;
  }
  since_key_ = kGroup;
  key_made_ = false;
}

void PictureTrack::restart() {
  cancel(sender_.restart());
  meter_.clear();
}

int PictureTrack::on_picture(Timestamp now) {
  // An encoder that failed has told nothing of what it had.
  std::erase_if(encoding_, [&](const auto& entry) { return now - entry.second > kPatience; });
  if (!wanted_ || client_ == nullptr || encoding_.size() >= kMostEncoding) return 0;
  const bool key = requests_.take(0, now) || since_key_ >= kGroup;
  since_key_ = key ? 1 : since_key_ + 1;
  const int ticket = next_number();
  encoding_[ticket] = now;
  return key ? -ticket : ticket;
}

void PictureTrack::on_encoded(int ticket, bool key, media::PictureSize size,
                              std::span<const std::byte> data, Timestamp now) {
  const auto it = encoding_.find(ticket);
  if (it == encoding_.end()) return ask_for_key();  // it came too late, and others refer to it
  const Timestamp captured = it->second;
  encoding_.erase(encoding_.begin(), std::next(it));  // what it was before has come to nothing
  if (!wanted_ || client_ == nullptr) return;
  const bool sized = media::is_supported(size) && size.width % 2 == 0 && size.height % 2 == 0;
  if (data.empty() || !sized || (!key && !key_made_)) return ask_for_key();
  const bool enhances = !key && !media::h264_is_reference(data);
  if (enhances && enhanced_) return;  // what it stands beside was left out
  key_made_ = true;
  if (key) {
    behind_key_ = 0;
    requests_.on_sync_point(0, now);
  }
  media::CodedUnit unit{.depends_on = {},
                        .needed_for = enhances ? 0 : std::max(kGroup - 1 - behind_key_, 1),
                        .data = Payload::copy_of(data)};
  ++behind_key_;
  if (!key) {
    const auto back = next_.value() - reference_.value();
    unit.depends_on.push_back({.frames_back = static_cast<std::uint8_t>(back), .unit = 0});
  }
  if (!number_anew(unit)) return ask_for_key();
  if (!key) layered_ = enhances || enhanced_;
  enhanced_ = enhances;
  if (enhances) ++enhancements_;
  if (!enhances) reference_ = next_;
  const auto temporal_class = enhances ? media::TemporalClass::kT2 : media::TemporalClass::kT0;
  media::CodedFrame frame{
      .number = next_,
      .captured = captured,
      .due = now - kRate.frame_time(),
      .temporal_class = temporal_class,
      .header = media::build_frame_header(
          {.nominal = size, .low = size, .temporal_class = temporal_class, .sync = {key, false}})};
  frame.units.push_back(std::move(unit));
  next_ = next_.next();
  sender_.on_frame(std::make_shared<const media::WireFrame>(media::serialise(std::move(frame))));
  poll(now);
  if (sender_.wants_sync_point()) requests_.ask(0);
}

void PictureTrack::ask_for_key() {
  key_made_ = false;
  requests_.ask(0);
}

// Where a key frame cannot be, it and what follows are sent as they are.
bool PictureTrack::number_anew(media::CodedUnit& unit) {
  const auto picture = numbered_.add(next_, unit);
  if (unit.is_sync_point()) plain_ = static_cast<bool>(picture);
  if (!picture) return !plain_;
  std::vector<std::byte> data;
  if (picture->key) data = numbered_.parameters().sets;
  data.insert(data.end(), picture->data.begin(), picture->data.end());
  unit.data = Payload::copy_of(data);
  return true;
}

void PictureTrack::poll(Timestamp now) {
  auto decisions = sender_.poll(now);
  for (const auto& one : decisions.sends) send(one, now);
  cancel(decisions.cancels);
  sender_.take_lost();
}

void PictureTrack::send(const media::LiveSender::Send& send, Timestamp now) {
  const qps::PartId id = app::part_of(send);
  const bool taken = client_->send(id, app::envelope_of(send, useful_for), send.payload,
                                   send.deadline, kind_.track);
  if (!send.unit) {
    if (taken) return sender_.on_header_taken(send.number, app::number_of(id));
    cancel(sender_.on_lost(send.number, std::nullopt));
  } else if (taken) {
    const auto ticket = meter_.on_sent(send.payload.byte_count(), now);
    sender_.on_taken(*send.unit, app::number_of(id), ticket);
  } else {
    cancel(sender_.on_ended(*send.unit, false));
  }
}

void PictureTrack::cancel(const std::vector<media::UnitKey>& units) {
  for (const media::UnitKey& unit : units) {
    const auto message = sender_.message_of(unit);
    if (!message || client_ == nullptr) continue;
    if (client_->cancel(app::part_of(*message), kind_.track)) {
      cancel(sender_.on_ended(unit, false));
    }
  }
}

void PictureTrack::on_part_ended(const qps::PartId& id, bool delivered, ByteCount sent,
                                 Timestamp now) {
  const auto ended = sender_.take(app::number_of(id));
  if (!ended) return cancel(sender_.on_header_ended(app::number_of(id), delivered));
  meter_.on_ended(ended->ticket, sent, delivered, now);
  cancel(sender_.on_ended(ended->unit, delivered));
}

void PictureTrack::on_demand(const qps::Demand& demand) {
  demand_ = demand;
  tell_encoder();
}

void PictureTrack::on_path_rate(const paceline::PathRate& path) {
  const Timestamp now = steady_now();
  rate_.on_told(path, now);
  if (path.reason == paceline::PathRate::Reason::kRestored) meter_.clear();
  tell_encoder();
}

void PictureTrack::turn(Timestamp now) {
  if (!wanted_ || client_ == nullptr) return;
  if (sender_.next_event() <= now) poll(now);
  if (now - measured_ < paceline::ReceiverRate::kInterval) return;
  measured_ = now;
  rate_.on_measured(meter_, client_->signals().empty_rtt(), now);
  tell_encoder();
}

// What the way to the broker takes, and those who watch.
DataRate PictureTrack::wanted_rate() {
  const DataRate up = rate_.rate();
  if (demand_.least == DataRate()) return up;
  const std::array receivers{std::min(up, demand_.most), std::min(up, demand_.least)};
  const media::EncoderRates rates = common_.rates(receivers, demand_.contended);
  if (!layered_ || !rates.base_needed) return receivers[1];
  return std::min(rates.total, receivers[1] * (1 / kBaseShare));
}

void PictureTrack::tell_encoder() {
  if (!wanted_) return;
  const DataRate rate = std::clamp(wanted_rate(), kLeastRate, kind_.most);
  const double change = std::abs(static_cast<double>(rate.bps()) /
                                     static_cast<double>(std::max<std::int64_t>(told_.bps(), 1)) -
                                 1);
  if (told_ != DataRate() && change < kNotable) return;
  told_ = rate;
  qvid_js_own_rate(kind_.share, static_cast<int>(rate.bps()));
}

}  // namespace qvid::web
