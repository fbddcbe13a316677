// Call before a display is connected to, on any thread. libXau keeps the name of the user's file of
// keys in one buffer for all threads (XauFileName) and makes it at the first connection: two first
// connections at once, as of a window and of a screen that is taken, free what the other reads.
#pragma once

namespace qvid::media {

// Makes that name once. Never fails: without a home there is no such file.
void name_x_authority();

}  // namespace qvid::media
