// How like a picture on a screen is to the one that the clock drew: PSNR and SSIM of the luma.
//
// What a screen's capturer and a player convert is in it: some 44 dB are the most that are seen.
// Pure.
#pragma once

#include <optional>

#include "lab/glass/pixels.h"
#include "lab/glass/strip_reader.h"

namespace qvid::lab {

struct HowLike {
  double psnr = 0;  // dB, of every second pixel of every second row
  double ssim = 0;  // base/ssim.h
};

class Likeness {
 public:
  // Of what is below the strip. `strip`: where it is on `screen`. Nothing: the picture is not as large
  // as the clock's, and cannot be compared.
  std::optional<HowLike> of(const Pixels& screen, const StripPlace& strip, const Pixels& drawn);
  // The picture may be elsewhere.
  void forget_place() { aligned_ = false; }

 private:
  // The bars' edges are blurred: until a picture has matched well, its exact place is looked for.
  bool aligned_ = false;
  int right_ = 0;  // of the strip's place, pixels
  int down_ = 0;
};

}  // namespace qvid::lab
