#include "app/options/token_option.h"

namespace qvid::app {

void add_token_option(CLI::App& command, std::string& token) {
  command
      .add_option("--token", token,
                  "What the broker lets you in by: a file, or the token itself, which others on "
                  "this machine then see in the list of processes")
      ->envname("QVID_TOKEN");
}

}  // namespace qvid::app
