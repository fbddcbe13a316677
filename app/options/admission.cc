#include "app/options/admission.h"

#include <CLI/CLI.hpp>

#include <boost/asio/ip/address.hpp>
#include <memory>
#include <string_view>

#include "app/log/log.h"
#include "app/options/token_option.h"
#include "app/options/wall_time.h"
#include "base/clock.h"
#include "base/random_bytes.h"
#include "pubsub/token/token_clock.h"
#include "pubsub/token/token_rights.h"
#include "transport/wire/same_secret.h"

namespace qvid::app {
namespace {

constexpr std::size_t kShortestPassphrase = 8;  // bytes

// Of no more than a local network: RFC 1918 and 3927, RFC 4193 and link-local.
bool is_private(const std::string& host) {
  boost::system::error_code not_numeric;
  const auto ip = boost::asio::ip::make_address(host, not_numeric);
  if (not_numeric) return false;
  if (ip.is_v4()) {
    const auto is_in = [v4 = ip.to_v4().to_uint()](std::uint32_t network, int bits) {
      return v4 >> (32 - bits) == network >> (32 - bits);
    };
    return is_in(0x0a000000, 8) || is_in(0xac100000, 12) || is_in(0xc0a80000, 16) ||
           is_in(0xa9fe0000, 16);
  }
  return ip.to_v6().is_link_local() || (ip.to_v6().to_bytes()[0] & 0xfe) == 0xfc;
}

Result<Admission> by_key(const AdmissionArguments& a) {
  auto keys = qps::TokenKeys::load(a.token_key);
  if (!keys) return Error{"token key: " + keys.error().message};
  for (const std::string& hint : keys->hints()) log_warning("{}", hint);
  auto policy = std::make_shared<qps::TokenPolicy>(
      qps::TokenPolicy{.keys = *std::move(keys), .audience = a.token_audience, .revoked = {}});
  if (!a.token_revoked.empty()) {
    auto revoked = qps::RevokedTokens::load(a.token_revoked);
    if (!revoked) return revoked.error();
    policy->revoked = *std::move(revoked);
  }
  return Admission([policy, clock = std::make_shared<qps::TokenClock>()](const qps::Join& join,
                                                                         const qps::Origin&) {
    return qps::rights_by_token(join, *policy, clock->now(wall_now(), steady_now()));
  });
}

}  // namespace

std::optional<Error> unfit_passphrase(const std::string& passphrase) {
  if (passphrase.size() >= kShortestPassphrase && passphrase.size() <= qps::kMaxToken) {
    return std::nullopt;
  }
  return Error{"--passphrase: at least " + std::to_string(kShortestPassphrase) +
               " characters, better four words"};
}

CLI::Option* add_open_option(CLI::App& command, bool& open) {
  return command.add_flag("--open", open,
                          "Let in everybody who reaches it, also from other machines");
}

void add_admission(CLI::App& command, AdmissionArguments& a) {
  auto* open = add_open_option(command, a.open);
  auto* passphrase =
      command
          .add_option("--passphrase", a.passphrase,
                      "Let in only who says the same; others on this machine see it in the list "
                      "of processes, but in QVID_PASSPHRASE")
          ->envname(kPassphraseVariable)
          ->excludes(open);
  command
      .add_option("--token-key", a.token_key,
                  "Let in only who has a token of this key file, as `qvid token` makes them; or of "
                  "a folder of such files")
      ->excludes(open)
      ->excludes(passphrase);
}

Result<Admission> admission(const AdmissionArguments& a, const paceline::Address& listen,
                            AdmissionWords words) {
  if (!a.token_key.empty()) return by_key(a);
  if (!a.passphrase.empty()) {
    if (auto error = unfit_passphrase(a.passphrase)) return *std::move(error);
    return passphrase_admission(a.passphrase);
  }
  if (a.open || listen.is_loopback()) return Admission();
  return Error{"at " + listen.text() + " everybody who reaches it could " + words.could +
               ": give it a " + words.way + ", or say --open if that is meant"};
}

Result<Admission> own_admission(const AdmissionArguments& a, const paceline::Address& listen,
                                AdmissionWords words) {
  auto allowed = admission(a, listen, words);
  const bool unguarded = a.token_key.empty() && a.passphrase.empty();
  if (!allowed && unguarded && is_private(listen.host)) {
    log_warning(
        "EVERYBODY who reaches {} can {}: if that is not meant, stop, and give a "
        "--passphrase; --open says that it is",
        listen.text(), words.could);
    return Admission();
  }
  return allowed;
}

Admission passphrase_admission(const std::string& passphrase) {
  if (passphrase.empty()) return {};
  return [passphrase](const qps::Join& join, const qps::Origin&) -> qps::Result<qps::Rights> {
    if (paceline::same_secret(join.token, passphrase)) return qps::Rights{};
    return Error{join.token.empty() ? "a passphrase is wanted here: give it with --passphrase"
                                    : "this is not the passphrase"};
  };
}

std::string make_passphrase() {
  constexpr std::string_view kLetters =
      "abcdefghijkmnopqrstuvwxyz2345678";  // 32, none like another
  constexpr std::size_t kCharacters = 16;
  const auto random = random_bytes<kCharacters>();
  std::string text;
  for (std::size_t i = 0; i < random.size(); ++i) {
    if (i > 0 && i % 4 == 0) text += '-';
    text += kLetters[random[i] % kLetters.size()];
  }
  return text;
}

}  // namespace qvid::app
