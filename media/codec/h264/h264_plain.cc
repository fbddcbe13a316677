#include "media/codec/h264/h264_plain.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "media/codec/bit_io.h"
#include "media/codec/h264/h264_sequence.h"

namespace qvid::media {
namespace {

constexpr std::uint32_t kPSlice = 0;
constexpr std::uint32_t kISlice = 2;
constexpr std::size_t kMostSlices = 64;
constexpr std::uint32_t kMostActive = 16;  // references of a slice

using Bytes = std::vector<std::byte>;

// With what keeps start codes from occurring inside again (7.4.1.1).
void append_escaped(Bytes& out, std::span<const std::byte> raw) {
  for (const int b : {0, 0, 0, 1}) out.push_back(static_cast<std::byte>(b));
  int zeros = 0;
  for (const std::byte b : raw) {
    if (zeros >= 2 && b <= std::byte{3}) {
      out.push_back(std::byte{3});
      zeros = 0;
    }
    zeros = b == std::byte{0} ? zeros + 1 : 0;
    out.push_back(b);
  }
}

std::optional<Error> parse_sps(std::span<const std::byte> nal, H264Parameters& parameters) {
  const auto sequence = parse_h264_sequence(nal);
  if (!sequence) return sequence.error();
  if (sequence->order_type == 1 || !sequence->frames_only) {
    return Error{"pictures in an order that is not told, or fields"};
  }
  parameters.order_bits = sequence->order_bits;
  parameters.frame_num_bits = sequence->frame_num_bits;
  parameters.most_references = sequence->references;
  return std::nullopt;
}

// 7.3.2.2.
std::optional<Error> parse_pps(std::span<const std::byte> nal, H264Parameters& parameters) {
  const Bytes raw = h264_unescaped(nal);
  BitReader in(raw);
  in.bits(8);
  in.ue();
  in.ue();
  parameters.cabac = in.flag();
  parameters.order_delta = in.flag();
  const std::uint32_t slice_groups = in.ue();
  const std::uint32_t active = in.ue() + 1;
  in.ue();
  const bool weighted = in.flag();
  in.bits(2);
  in.se();
  in.se();
  in.se();
  const bool deblocking_control = in.flag();
  in.flag();
  const bool redundant = in.flag();
  if (in.failed() || active > kMostActive) return Error{"a malformed picture parameter set"};
  if (slice_groups != 0 || redundant) {
    return Error{"a stream with slice groups or redundant slices"};
  }
  parameters.default_references = static_cast<int>(active);
  parameters.weighted = weighted;
  parameters.deblocking_control = deblocking_control;
  return std::nullopt;
}

// Reads with the one and writes the same with the other.
class Copier {
 public:
  Copier(BitReader& in, BitWriter& out) : in_(in), out_(out) {}
  std::uint32_t bits(int count) {
    const std::uint32_t value = in_.bits(count);
    out_.bits(value, count);
    return value;
  }
  bool flag() { return bits(1) != 0; }
  // Also of an se, whose bits are the same.
  std::uint32_t ue() {
    const std::uint32_t value = in_.ue();
    out_.ue(value);
    return value;
  }

 private:
  BitReader& in_;
  BitWriter& out_;
};

// The data of a slice with CAVLC, which follow at the next bit, to the one that ends them (7.3.2.11).
// False: there are none.
bool copy_rest(BitReader& in, BitWriter& out, std::span<const std::byte> raw) {
  std::size_t end = 8 * raw.size();  // behind the last one
  while (end > 0 && (raw[(end - 1) / 8] >> (7 - (end - 1) % 8) & std::byte{1}) == std::byte{0})
    --end;
  if (in.failed() || in.position() + 1 >= end) return false;
  while (in.position() + 32 <= end) out.bits(in.bits(32), 32);
  const int left = static_cast<int>(end - in.position());
  out.bits(in.bits(left), left);
  return true;
}

void copy_weights(Copier& copy, std::uint32_t references) {
  copy.ue();
  copy.ue();
  for (std::uint32_t i = 0; i < references; ++i) {
    if (copy.flag()) {
      copy.ue();
      copy.ue();
    }
    if (!copy.flag()) continue;
    for (int j = 0; j < 4; ++j) copy.ue();
  }
}

// The references of a P slice, as frames back in the stream's own numbers.
Result<std::vector<std::uint32_t>> read_references(BitReader& in, std::uint32_t count, int bits) {
  std::vector<std::uint32_t> back;
  if (!in.flag()) {
    for (std::uint32_t i = 0; i < count; ++i) back.push_back(i + 1);
    return back;
  }
  const std::uint32_t wrap = std::uint32_t{1} << bits;
  std::uint32_t at = 0;  // frames back, modulo wrap
  for (std::uint32_t command = in.ue(); command != 3; command = in.ue()) {
    const std::uint32_t difference = in.ue();
    if (in.failed() || command > 1 || difference >= wrap || back.size() >= count) {
      return Error{"references that are not understood"};
    }
    at = (command == 0 ? at + difference + 1 : at + wrap - difference - 1) % wrap;
    back.push_back(at);
  }
  if (in.failed() || back.size() != count) return Error{"references that are not all told"};
  return back;
}

void write_references(BitWriter& out, const std::vector<std::uint32_t>& back) {
  bool nearest = true;
  for (std::size_t i = 0; i < back.size(); ++i) nearest = nearest && back[i] == i + 1;
  out.flag(!nearest);
  if (nearest) return;
  std::uint32_t at = 0;
  for (const std::uint32_t b : back) {
    // The same picture twice is a whole turn away (8.2.4.3.1 has no difference of zero); our
    // encoder makes none.
    out.ue(b > at ? 0 : 1);
    out.ue((b > at ? b - at : at - b) - 1);
    at = b;
  }
  out.ue(3);
}

}  // namespace

// 7.3.3 of a NAL unit with its header byte.
Result<H264Plain::Slice> H264Plain::rewrite(FrameNumber number, const CodedUnit& unit,
                                            std::span<const std::byte> nal) {
  const bool idr = h264_type_of(nal) == kIdrNal;
  const Bytes raw = h264_unescaped(nal);
  BitReader in(raw);
  BitWriter out;
  Copier copy(in, out);
  const std::uint32_t wrap = std::uint32_t{1} << parameters_.frame_num_bits;
  Slice slice;
  slice.reference = (copy.bits(8) & 0x60) != 0;
  if (idr && !slice.reference) return Error{"a key frame that none refers to"};
  copy.ue();  // first macroblock
  const std::uint32_t type = copy.ue() % 5;
  if (type != kPSlice && type != kISlice) return Error{"a slice that is neither I nor P"};
  copy.ue();  // picture parameter set
  slice.source = in.bits(parameters_.frame_num_bits);
  out.bits(static_cast<std::uint32_t>(next_) % wrap, parameters_.frame_num_bits);
  if (idr) {
    in.ue();
    out.ue(idr_pic_id_);
  }
  if (parameters_.order_bits > 0) {
    in.bits(parameters_.order_bits);
    const std::int64_t order = 2 * next_ - (slice.reference ? 0 : 1);
    out.bits(static_cast<std::uint32_t>(order) % (std::uint32_t{1} << parameters_.order_bits),
             parameters_.order_bits);
    if (parameters_.order_delta) copy.ue();
  }
  if (type == kPSlice) {
    auto references = static_cast<std::uint32_t>(parameters_.default_references);
    if (copy.flag()) references = copy.ue() + 1;
    if (in.failed() || references > kMostActive) return Error{"a malformed slice"};
    auto back = read_references(in, references, parameters_.frame_num_bits);
    if (!back) return back.error();
    for (std::size_t i = 0; i < back->size(); ++i) {
      std::uint32_t& b = (*back)[i];
      const auto it = std::ranges::find_if(unit.depends_on, [&](const UnitDependency& d) {
        return known_.at(FrameNumber(number.value() - d.frames_back)).source ==
               (slice.source + wrap - b) % wrap;
      });
      if (b == 0 || it == unit.depends_on.end()) {
        return Error{"a reference to a picture that is not there"};
      }
      b = static_cast<std::uint32_t>(
          next_ - known_.at(FrameNumber(number.value() - it->frames_back)).plain);
      const bool twice = i > 0 && (*back)[i - 1] == b;
      if (twice || b > static_cast<std::uint32_t>(parameters_.most_references)) {
        return Error{"a reference further back than a decoder keeps"};
      }
    }
    write_references(out, *back);
    if (parameters_.weighted) copy_weights(copy, references);
  }
  if (idr) {
    copy.bits(2);
  } else if (slice.reference && copy.flag()) {
    return Error{"marking of references by commands"};
  }
  if (type == kPSlice && parameters_.cabac) copy.ue();  // cabac_init_idc
  copy.ue();                                            // quantiser
  if (parameters_.deblocking_control && copy.ue() != 1) {
    copy.ue();
    copy.ue();
  }
  if (!parameters_.cabac) {
    if (!copy_rest(in, out, raw)) return Error{"a malformed slice"};
    slice.nal = out.bytes();
    return slice;
  }
  const std::size_t data = (in.position() + 7) / 8;
  if (in.failed() || data >= raw.size()) return Error{"a malformed slice"};
  out.align_with_ones();
  out.bytes(std::span(raw).subspan(data));
  slice.nal = out.bytes();
  return slice;
}

Result<PlainPicture> H264Plain::add(FrameNumber number, const CodedUnit& unit) {
  const auto nals = h264_nals(unit.data.bytes());
  const bool key = unit.is_sync_point();
  if (!key && !known_.empty() && number <= last_) {
    return Error{"it comes after a later picture"};
  }
  if (key) {
    known_.clear();
    next_ = 0;
    idr_pic_id_ ^= 1;
    H264Parameters parameters;
    bool sps = false;
    bool pps = false;
    for (const auto nal : nals) {
      if (h264_type_of(nal) != kSpsNal && h264_type_of(nal) != kPpsNal) continue;
      bool& seen = h264_type_of(nal) == kSpsNal ? sps : pps;
      if (std::exchange(seen, true)) return Error{"more than one parameter set of a kind"};
      auto error = &seen == &sps ? parse_sps(nal, parameters) : parse_pps(nal, parameters);
      if (error) return *std::move(error);
      append_escaped(parameters.sets, h264_unescaped(nal));
    }
    if (!sps || !pps) return Error{"a key frame without parameter sets"};
    parameters_ = std::move(parameters);
  } else if (!std::ranges::all_of(unit.depends_on, [&](const UnitDependency& d) {
               return d.unit == unit.layer &&
                      known_.contains(FrameNumber(number.value() - d.frames_back));
             })) {
    return Error{"it refers to a picture that is not there"};
  }
  PlainPicture picture{.data = {}, .key = key};
  std::optional<Slice> first;
  std::size_t slices = 0;
  for (const auto nal : nals) {
    if (h264_type_of(nal) != kSliceNal && h264_type_of(nal) != kIdrNal) continue;
    if (key != (h264_type_of(nal) == kIdrNal)) return Error{"a key frame that is not told as one"};
    if (++slices > kMostSlices) return Error{"a picture of too many slices"};
    auto slice = rewrite(number, unit, nal);
    if (!slice) return slice.error();
    if (first && (first->source != slice->source || first->reference != slice->reference)) {
      return Error{"slices of two pictures in one unit"};
    }
    append_escaped(picture.data, slice->nal);
    first = *std::move(slice);
  }
  if (!first) return Error{"a unit without a picture"};
  if (!first->reference && !last_referred_to_) {
    return Error{"two pictures in a row that none refers to"};
  }
  last_ = number;
  last_referred_to_ = first->reference;
  if (!first->reference) return picture;
  known_[number] = {.source = first->source, .plain = next_++};
  while (!known_.empty() && known_.begin()->second.plain + parameters_.most_references < next_) {
    known_.erase(known_.begin());
  }
  return picture;
}

}  // namespace qvid::media
