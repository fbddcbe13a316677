// Who may come in: the one rule of what others can reach, `qvid broker`, `serve` and `call --host`.
//
// At an address of this machine only everybody may. At another there has to be a word of the one
// who runs it: a key whose tokens are asked for, a passphrase, or that everybody is meant. What is
// shown, token or passphrase, crosses the network within TLS, to a server that is trusted by then.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/options/cli.h"
#include "base/result.h"
#include "pubsub/broker/broker.h"
#include "transport/socket/address.h"

namespace qvid::app {

// As BrokerOptions::authorise; Join::token is what is shown. Empty: everybody may.
using Admission = std::function<qps::Result<qps::Rights>(const qps::Join&, const qps::Origin&)>;

struct AdmissionArguments {
  bool open = false;
  std::string token_key = {};       // file or folder
  std::string passphrase = {};      // itself
  std::string token_audience = {};  // TokenPolicy::audience
  std::string token_revoked = {};   // file; empty: none
};
// --open.
CLI::Option* add_open_option(CLI::App& command, bool& open);
// --open, --passphrase and --token-key.
void add_admission(CLI::App& command, AdmissionArguments& arguments);

// For the error: what a stranger could do, and what the program can be given against it.
struct AdmissionWords {
  const char* could;  // "join every room"
  const char* way = "--passphrase or --token-key";
};

// The error tells what to do: nothing was said where strangers could reach it, or the key is none.
// Warns of a key that others can read.
Result<Admission> admission(const AdmissionArguments& arguments, const paceline::Address& listen,
                            AdmissionWords words);

// The same of one who serves his own camera or videos. He may name an address of a private network
// without a further word, and is warned loudly: he has chosen whom it reaches.
Result<Admission> own_admission(const AdmissionArguments& arguments,
                                const paceline::Address& listen, AdmissionWords words);

// Why it is not to be taken as a passphrase.
std::optional<Error> unfit_passphrase(const std::string& passphrase);
// By a passphrase alone; empty where that is.
Admission passphrase_admission(const std::string& passphrase);
// A new one, of 80 random bits, to be typed: "kzmw-hqfa-tbno-xeru".
std::string make_passphrase();

}  // namespace qvid::app
