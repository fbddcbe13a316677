#include "app/options/token_option.h"

#include <CLI/CLI.hpp>

#include "pubsub/client/client_token.h"

namespace qvid::app {

void add_token_options(CLI::App& command, CredentialArguments& a) {
  command
      .add_option("--token", a.token,
                  "What the broker or server lets you in by: a file, or the token itself, which "
                  "others on this machine then see in the list of processes")
      ->envname(kTokenVariable);
  command
      .add_option("--passphrase", a.passphrase,
                  "The passphrase of who serves or hosts the call; others on this machine see it "
                  "in the list of processes, but in QVID_PASSPHRASE")
      ->envname(kPassphraseVariable);
}

Result<std::string> shown_token(const CredentialArguments& a) {
  if (!a.passphrase.empty()) return a.passphrase;
  return qps::read_token(a.token);
}

}  // namespace qvid::app
