#include "app/options/playout_option.h"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace qvid::app {

void add_playout_option(CLI::App& command, media::PlayoutMode& mode) {
  static const std::map<std::string, media::PlayoutMode> kModes = {
      {"early", media::PlayoutMode::kEarly},
      {"smooth", media::PlayoutMode::kSmooth},
      {"fixed", media::PlayoutMode::kFixed}};
  command
      .add_option("--playout", mode,
                  "When live pictures are shown: early (as soon as they are there), smooth (late "
                  "enough for nearly all of them: even motion first) or fixed (1 + window + 2 "
                  "frames after their capture, whatever the network does)")
      ->transform(CLI::Transformer(kModes).description(""))
      ->transform(CLI::IsMember({"early", "smooth", "fixed"}).description(""))  // asked first
      ->option_text("early|smooth|fixed [early]");
}

}  // namespace qvid::app
