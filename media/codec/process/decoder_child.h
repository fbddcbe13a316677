// The decoder process itself (decoder_process.h): confines itself, then decodes what it is sent until
// there is nobody to decode for.
#pragma once

namespace qvid::media {

// The argument by which a program becomes one.
inline constexpr const char* kDecoderProcessCommand = "decoder-process";
// What it finds open.
inline constexpr int kDecoderSocket = 3;
inline constexpr int kDecoderPictures = 4;

// Gives the exit code: 0, or 2 where it was not started as DecoderProcesses does.
// Precondition: the process has one thread, and nothing open that a stranger shall not have.
int run_decoder_process();

}  // namespace qvid::media
