// `--decoder-process`: where received video is decoded (media/codec/process/decoder_process.h).
#pragma once

#include "app/options/cli.h"
#include "media/codec/decoder.h"

namespace qvid::app {

struct DecoderArguments {
  bool process = true;
};

void add_decoder_option(CLI::App& command, DecoderArguments& arguments);
// What becomes of the processes is logged.
media::DecoderMaker decoders_of(const DecoderArguments& arguments);

}  // namespace qvid::app
