#include "web/engine/web_playback.h"

#include <algorithm>
#include <string>
#include <utility>

#include "media/codec/h264/h264_sequence.h"
#include "media/picture/downscale.h"
#include "web/engine/browser.h"
#include "web/engine/numbers.h"

namespace qvid::web {
namespace {

// libavcodec's, which browsers decode with, too.
constexpr int kSizeRounding = 64;
constexpr std::size_t kMaxUnitBytes = 16 * 1024 * 1024;

constexpr const char* kWaits = "waits for a synchronisation point";

// "avc1.640028": profile, constraints and level, as the parameter set has them (RFC 6381). Empty: there
// is none.
std::string codec_of(std::span<const std::byte> stream) {
  for (const auto nal : media::h264_nals(stream)) {
    if (media::h264_type_of(nal) != media::kSpsNal || nal.size() < 4) continue;
    constexpr const char* kDigits = "0123456789abcdef";
    std::string name = "avc1.";
    for (std::size_t i = 1; i <= 3; ++i) {
      const auto byte = std::to_integer<unsigned>(nal[i]);
      name += kDigits[byte >> 4];
      name += kDigits[byte & 15];
    }
    return name;
  }
  return {};
}

// The browser's memory of a picture, for as long as somebody has it.
std::shared_ptr<const void> owner_of(int picture) {
  return {new int(picture), [](int* number) {
            qvid_js_picture_free(*number);
            delete number;
          }};
}

}  // namespace

WebPlayback::WebPlayback(FrameRate rate, int window,
                         std::shared_ptr<media::PresentationClock> clock)
    : engine_(rate, window) {
  engine_.present_with(std::move(clock));
}

WebPlayback::~WebPlayback() {
  for (Layer& layer : layers_) end_decoder(layer);
}

void WebPlayback::turn(Timestamp now, const std::function<void(media::ShownPicture&&)>& show) {
  while (auto picture = engine_.poll_shown(now)) show(*std::move(picture));
  if (task_ && now - task_->began > kPatience) {
    for (Asked& asked : asked_) {
      if (!asked.over) refuse(asked, "the browser does not decode it", now);
    }
    finish(now);
  }
  // At most as many as there are frames that wait.
  while (!task_) {
    auto task = engine_.poll_decode(now);
    if (!task) return;
    begin(*std::move(task), now);
  }
}

void WebPlayback::begin(media::PlaybackEngine::DecodeTask task, Timestamp now) {
  task_ = std::move(task);
  asked_.clear();
  headers_.clear();
  for (std::size_t i = 0; i < task_->frames.size(); ++i) {
    const media::ReceivedFrame& frame = task_->frames[i];
    auto header = media::parse_frame_header(frame.header.bytes(), media::CodecKind::kH264);
    headers_.push_back(header ? std::optional(*header) : std::nullopt);
    if (!header) continue;
    for (std::size_t layer = header->layers(); layer < layers_.size(); ++layer) {
      end_decoder(layers_[layer]);
    }
    for (const media::CodedUnit& unit : frame.units) ask(i, unit, *header, now);
  }
  finish(now);
}

void WebPlayback::ask(std::size_t frame, const media::CodedUnit& unit,
                      const media::FrameHeader& header, Timestamp now) {
  asked_.push_back({.frame = frame, .layer = unit.layer, .ticket = next_number()});
  Asked& asked = asked_.back();
  const bool twice = std::ranges::count_if(asked_, [&](const Asked& other) {
                       return other.frame == frame && other.layer == unit.layer;
                     }) > 1;
  if (unit.layer >= header.layers() || twice) {
    asked.over = true;
    asked.failure = "h264: there is no such layer";
    return;
  }
  const media::PictureSize size = header.size_of(unit.layer);
  const auto error = hand_over(layers_[unit.layer], asked.ticket, task_->frames[frame].number, unit,
                               size, header.sync[unit.layer], now);
  if (error) fail(asked, error->message);
}

std::optional<Error> WebPlayback::hand_over(Layer& layer, int ticket, FrameNumber number,
                                            const media::CodedUnit& unit, media::PictureSize size,
                                            bool sync, Timestamp now) {
  if (unit.data.empty() || unit.data.size() > kMaxUnitBytes) return Error{"no unit of that size"};
  const auto needed =
      media::h264_memory_of(unit.data.bytes(), media::even_size(size), kSizeRounding);
  if (!needed) return needed.error();
  std::vector<std::byte> bytes;
  if (sync) {
    if (!*needed) return Error{"a synchronisation point without a parameter set"};
    // To begin a decoder costs a browser more than to go on with one.
    const std::string codec = codec_of(unit.data.bytes());
    if (codec != layer.codec || size != layer.size) end_decoder(layer);
    if (layer.decoder == 0) {
      if (now < layer.not_before) return Error{kWaits};
      layer.decoder = next_number();
      layer.worked = false;
    }
    layer.codec = codec;
    layer.size = size;
    layer.plain = true;
  }
  if (layer.decoder == 0) return Error{kWaits};
  if (layer.plain) {
    auto picture = layer.renumbered.add(number, unit);
    if (picture) {
      if (picture->key) bytes = layer.renumbered.parameters().sets;
      bytes.insert(bytes.end(), picture->data.begin(), picture->data.end());
    } else if (sync) {
      layer.plain = false;  // another's encoder
    } else {
      return picture.error();
    }
  }
  if (!layer.plain) bytes.assign(unit.data.bytes().begin(), unit.data.bytes().end());
  qvid_js_decode(layer.decoder, ticket, sync ? 1 : 0, layer.codec.c_str(), bytes.data(),
                 static_cast<int>(bytes.size()));
  return std::nullopt;
}

void WebPlayback::fail(Asked& asked, std::string why) {
  asked.over = true;
  if (why != kWaits) last_failure_ = why;
  asked.failure = std::move(why);
  if (asked.layer < layers_.size()) end_decoder(layers_[asked.layer]);
}

void WebPlayback::refuse(Asked& asked, std::string why, Timestamp now) {
  if (asked.layer < layers_.size()) {
    Layer& layer = layers_[asked.layer];
    if (layer.decoder != 0 && !layer.worked) {
      layer.not_before = now + layer.wait;
      layer.wait = std::min(layer.wait * 2, kLongestWait);
    }
  }
  fail(asked, std::move(why));
}

void WebPlayback::end_decoder(Layer& layer) {
  if (layer.decoder != 0) qvid_js_decoder_end(std::exchange(layer.decoder, 0));
}

bool WebPlayback::on_decoded(int ticket, std::optional<int> picture, media::PictureSize size,
                             Timestamp now) {
  const auto it = std::ranges::find(asked_, ticket, &Asked::ticket);
  if (it == asked_.end() || it->over) return false;
  if (picture) {
    it->over = true;
    it->picture.emplace();
    it->picture->size = size;
    it->picture->owner = owner_of(*picture);
    Layer& layer = layers_[it->layer];
    layer.worked = true;
    layer.wait = kFirstWait;
  } else {
    refuse(*it, "the browser cannot decode it", now);
  }
  finish(now);
  return true;
}

// Where all of it is over.
void WebPlayback::finish(Timestamp now) {
  if (!task_ || !std::ranges::all_of(asked_, &Asked::over)) return;
  std::vector<media::PlaybackEngine::Decoded> results;
  for (std::size_t i = 0; i < task_->frames.size(); ++i) {
    if (!headers_[i]) {
      results.emplace_back(Error{"it has no header of h264"});
      continue;
    }
    const media::FrameHeader& header = *headers_[i];
    std::optional<media::DecodedFrame> best;
    std::string failure;
    std::bitset<media::kMaxUnits> failed;
    for (Asked& asked : asked_) {
      if (asked.frame != i) continue;
      if (!asked.picture) {
        failure = asked.failure;
        failed.set(asked.layer);
      } else if (!best || best->layer < asked.layer) {
        best = media::DecodedFrame{.number = task_->frames[i].number,
                                   .picture = *std::move(asked.picture),
                                   .nominal = header.nominal,
                                   .layer = asked.layer,
                                   .layers = static_cast<std::uint8_t>(header.layers())};
      }
    }
    if (!best && failed.any()) {
      results.emplace_back(Error{std::move(failure)});
      continue;
    }
    if (best) best->failed = failed;
    results.emplace_back(std::move(best));
  }
  const auto task = *std::exchange(task_, std::nullopt);
  asked_.clear();
  engine_.on_decoded(task, std::move(results), now);
}

}  // namespace qvid::web
