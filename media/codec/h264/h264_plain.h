// A layer of the codec `h264` with frames left out, as a plain H.264 stream that any decoder takes.
//
// What is left of a layer refers to nothing that is missing, but it is no plain stream: its frames
// still count those left out (frame_num), which is only allowed to streams that say so, and which
// decoders take for losses: they make pictures up, and lose their count where it wraps. So the
// frames that are left are numbered anew, without gaps, and what their slices say of references
// (ref_pic_list_modification, as distances in those numbers) with them. Only slice headers change;
// the coded pictures are the same bits. Source: H.264, 7.3.3, 7.4.3, 8.2.4, 8.2.5.3.
//
//     encoder    IDR0  1  2  3  4  5  6        of these 1, 3, 5 were dropped by class
//     here       IDR0     1     2     3        4 said "two back", and says "one back" here
//
// A picture that none refers to, as those of browsers make where every second one can be left out,
// has the number that the next reference will have: without it nothing is missing. Its order is one
// less than that one's, so that orders never differ by more than two, behind which decoders begin to
// hold pictures back.
//
// It takes what our encoder makes (x264: every picture a reference, one sequence of frames, CABAC,
// picture order as decoding order), what those of browsers do (CAVLC, told orders, and no two
// pictures in a row that none refers to), and refuses the rest. Invariant: a picture it gives refers
// to pictures it gave since the last key frame, at most as far back as a decoder keeps them.
// Bound: remembers the frames of one group that may be referred to: 16. Pure. Thread: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/result.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

// What a decoder must know before the first slice, and what of it is needed here.
struct H264Parameters {
  std::vector<std::byte> sets;  // SPS and PPS, annex B
  int frame_num_bits = 4;       // log2 of where frame numbers wrap
  int most_references = 0;      // pictures a decoder keeps
  int default_references = 1;   // of a P slice that does not say
  int order_bits = 0;           // of a slice's picture order; 0: it has none
  bool order_delta = false;     // and of another behind it
  bool cabac = true;            // else CAVLC
  bool weighted = false;
  bool deblocking_control = false;
};

struct PlainPicture {
  std::vector<std::byte> data;  // slices, annex B, without parameter sets
  bool key = false;             // an IDR: begins a group
};

class H264Plain {
 public:
  // The next unit of the layer, in order of frames; which were left out is seen from the numbers.
  // An Error: it is no such stream, or it refers to what was not given here; nothing changes then
  // but that a picture without dependencies begins a new group.
  Result<PlainPicture> add(FrameNumber number, const CodedUnit& unit);
  // Of the last key frame; empty before.
  const H264Parameters& parameters() const { return parameters_; }

 private:
  struct Known {
    std::uint32_t source = 0;  // frame_num as it came
    std::int64_t plain = 0;    // frames since the key frame, here
  };
  struct Slice {
    std::vector<std::byte> nal;  // with the new numbers, raw
    std::uint32_t source = 0;    // as it came
    bool reference = true;
  };
  Result<Slice> rewrite(FrameNumber number, const CodedUnit& unit, std::span<const std::byte> nal);

  H264Parameters parameters_;
  std::map<FrameNumber, Known> known_;  // that may be referred to
  FrameNumber last_;
  bool last_referred_to_ = true;
  std::int64_t next_ = 0;         // plain number of the next reference
  std::uint32_t idr_pic_id_ = 0;  // of the running group: it differs from the one before
};

}  // namespace qvid::media
