// What a client shows to be let in: a token, or a passphrase.
#pragma once

#include <string>

#include "app/options/cli.h"
#include "base/result.h"

namespace qvid::app {

// Of the environment: no child is told of them that has no need to.
inline constexpr const char* kTokenVariable = "QVID_TOKEN";
inline constexpr const char* kPassphraseVariable = "QVID_PASSPHRASE";

struct CredentialArguments {
  std::string token = {};
  std::string passphrase = {};
};
// --token and --passphrase, or kTokenVariable and kPassphraseVariable.
void add_token_options(CLI::App& command, CredentialArguments& arguments);
// What is shown, the passphrase if there is one; empty: nothing. The error says what to do.
Result<std::string> shown_token(const CredentialArguments& arguments);

}  // namespace qvid::app
