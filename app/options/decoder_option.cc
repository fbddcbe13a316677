#include "app/options/decoder_option.h"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <string>

#include "app/log/log.h"
#include "media/codec/process/decoder_process.h"

namespace qvid::app {

void add_decoder_option(CLI::App& command, DecoderArguments& arguments) {
  static const std::map<std::string, bool> kPlaces = {{"on", true}, {"off", false}};
  command
      .add_option("--decoder-process", arguments.process,
                  "Decode what others send in processes without rights, one a stream; off: in this "
                  "one, which has camera, tokens and files")
      ->transform(CLI::CheckedTransformer(kPlaces).description(""))
      ->option_text("on|off [on]");
}

media::DecoderMaker decoders_of(const DecoderArguments& arguments) {
  if (!arguments.process) {
    log_info("what others send is decoded in this process (--decoder-process off)");
    return media::decoders_here();
  }
  auto processes = std::make_shared<media::DecoderProcesses>(media::DecoderProcessOptions{
      .on_notice = [](const std::string& notice) { log_warning("{}", notice); }});
  return [processes](std::string_view codec) { return processes->make(codec); };
}

}  // namespace qvid::app
