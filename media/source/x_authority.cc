#include "media/source/x_authority.h"

#include <X11/Xauth.h>

namespace qvid::media {

void name_x_authority() { [[maybe_unused]] static const char* const made = XauFileName(); }

}  // namespace qvid::media
