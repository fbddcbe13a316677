// What somebody shares, as a witness sees it: recorded, and read from the file.
#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "media/picture/video_frame.h"

namespace e2e {

// As BT.601 has it.
struct Colour {
  int y = 0;
  int u = 0;
  int v = 0;
};
std::ostream& operator<<(std::ostream& out, const Colour& colour);
// Within what a codec makes of it.
bool near(const Colour& a, const Colour& b);

// Of the last picture of a recording, if it has any: in the middle, and at the middle of the left and of
// the upper edge.
struct Seen {
  qvid::media::PictureSize size;
  Colour middle;
  Colour edge;
  Colour top;
  int pictures = 0;
};
// What `name` shares in the room of that link, recorded by two seconds until it is what is waited for,
// or patience ends, which fails the test: the last recording.
Seen shared_picture(const std::string& link, const std::string& name,
                    const std::function<bool(const Seen&)>& is_wanted);

}  // namespace e2e
