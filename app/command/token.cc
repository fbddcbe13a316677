// `qvid token`: makes the keys and tokens that brokers let people in by.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command/commands.h"
#include "app/command/report.h"
#include "app/log/log.h"
#include "app/options/values.h"
#include "app/options/wall_time.h"
#include "pubsub/client/client_token.h"
#include "pubsub/token/revoked_tokens.h"

namespace qvid::app {
namespace {

struct TokenArguments {
  std::string new_key;
  std::string key;
  std::string room;
  std::string name;
  std::vector<std::string> rights{"publish", "subscribe"};
  std::string valid = "24h";
  std::vector<std::string> audience;
  std::optional<std::string> key_id;
  std::string revoke;
  std::string revoked;
};

// By the file's name, where that may be one.
std::string key_id_of(const TokenArguments& a) {
  if (a.key_id) return *a.key_id;
  const std::string name = std::filesystem::path(a.key).filename().string();
  return qps::is_key_id(name) ? name : "";
}

ExitCode make_key(const std::string& file, const CommonOptions& common) {
  if (const auto error = qps::TokenKey::create(file)) {
    log_error("{}", error->message);
    return kExitFailure;
  }
  log_info("a new key is in {}; next: qvid broker --token-key {}", file, file);
  if (common.json) fmt::print("{}\n", dump({{"key", file}}));
  return kExitOk;
}

std::string text_of(qps::WallTime time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(time.time_since_epoch().count()));
}

// Of an id by itself, of a token, or of the file that holds it; whoever signed it.
Result<std::string> revoked_id(const std::string& text) {
  constexpr std::size_t kOurs = 32;  // digits
  const bool digits = text.find_first_not_of("0123456789abcdef") == std::string::npos;
  const bool is_id =
      text.starts_with("sha256:") ? qps::is_token_id(text) : digits && text.size() == kOurs;
  if (is_id) return text;
  const auto token = qps::read_token(text);
  if (!token) return token.error();
  return qps::token_id(*token);
}

ExitCode revoke(const TokenArguments& a, const CommonOptions& common) {
  const auto usage = [](const std::string& message) {
    log_error("--revoke: {}", message);
    return kExitUsage;
  };
  if (a.revoked.empty()) return usage("say in which list with --revoked FILE");
  const auto id = revoked_id(a.revoke);
  if (!id) return usage(id.error().message);
  const auto list = qps::RevokedTokens::load(a.revoked);
  if (list && list->has(*id)) {
    log_info("{} is in {} already", *id, a.revoked);
  } else if (const auto error = qps::RevokedTokens::add(a.revoked, *id, text_of(wall_now()))) {
    log_error("{}", error->message);
    return kExitFailure;
  } else {
    log_info(
        "{} is in {}: a broker with --token-revoked {} looks at it within a minute, or on "
        "SIGHUP",
        *id, a.revoked, a.revoked);
  }
  if (common.json) fmt::print("{}\n", dump({{"id", *id}, {"revoked", a.revoked}}));
  return kExitOk;
}

ExitCode token(const TokenArguments& a, const CommonOptions& common) {
  const auto usage = [](const std::string& message) {
    log_error("{}", message);
    return kExitUsage;
  };
  if (!a.new_key.empty()) return make_key(a.new_key, common);
  if (!a.revoke.empty()) return revoke(a, common);
  if (a.key.empty()) return usage("say which key with --key FILE, or make one with --new-key FILE");
  if (a.room.empty()) return usage("say which room with --room NAME; '*' is every one");
  if (a.name.empty()) return usage("say whose name it is for with --name NAME; '*' is any");
  const auto has = [&](const char* right) { return std::ranges::count(a.rights, right) > 0; };
  const auto validity = parse_validity(a.valid);
  if (!validity) return usage("--valid: " + validity.error().message);
  const auto key = qps::TokenKey::load(a.key);
  if (!key) return usage("--key: " + key.error().message);
  if (!key->hint().empty()) log_warning("{}", key->hint());
  const qps::WallTime now = wall_now();
  const qps::TokenClaims claims{.room = a.room,
                                .name = a.name,
                                .publish = has("publish"),
                                .subscribe = has("subscribe"),
                                .admin = has("admin"),
                                .expires = now + *validity,
                                .audience = a.audience,
                                .id = qps::new_token_id()};
  const auto made = qps::issue_token(claims, *key, now, key_id_of(a));
  if (!made) return usage(made.error().message);
  if (common.json) {
    fmt::print("{}\n", dump({{"token", *made},
                             {"room", a.room},
                             {"name", a.name},
                             {"rights", a.rights},
                             {"id", claims.id},
                             {"expires", claims.expires.time_since_epoch().count()}}));
    return kExitOk;
  }
  log_info("for the room '{}', the name '{}', {}, until {}; its id is {}", a.room, a.name,
           fmt::join(a.rights, " and "), text_of(claims.expires), claims.id);
  fmt::print("{}\n", *made);
  return kExitOk;
}

}  // namespace

Run add_token(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<TokenArguments>();
  CLI::App* c =
      qvid.add_subcommand("token", "Make a token that lets somebody into a broker's room");
  c->footer(
      "First:   qvid token --new-key broker.key, then qvid broker --token-key broker.key\n"
      "Then:    qvid token --key broker.key --room den --name Ann > ann.token\n"
      "And Ann: qvid call qvid://HOST/den --name Ann --token ann.token\n"
      "Back:    qvid token --revoke ann.token --revoked list, with qvid broker --token-revoked "
      "list");
  auto* new_key = c->add_option("--new-key", a->new_key,
                                "Make a key: a file that only you can read, and that is not there "
                                "yet. Nothing else is done");
  c->add_option("--key", a->key, "The broker's key file")->excludes(new_key);
  c->add_option("--room", a->room, "The room it is for; '*': every one");
  c->add_option("--name", a->name, "The name it is for; '*': any")->capture_default_str();
  c->add_option("--rights", a->rights,
                "What it allows: publish, subscribe, admin; with commas between")
      ->delimiter(',')
      ->check(CLI::IsMember({"publish", "subscribe", "admin"}))
      ->capture_default_str();
  c->add_option("--audience", a->audience,
                "The broker it is for, by its name (qvid broker --token-audience); several with "
                "commas between. Without: those that have none")
      ->delimiter(',');
  c->add_option(
      "--key-id", a->key_id,
      "What the token calls its key: where a broker has a folder of keys, the name of the "
      "key's file there. The name of this one's; empty: nothing");
  c->add_option("--revoke", a->revoke,
                "Call a token back: a file, the token itself, or its id. Nothing else is done")
      ->excludes(new_key);
  c->add_option("--revoked", a->revoked, "The list that --revoke adds a line to");
  c->add_option("--valid", a->valid, "How long: 90s, 45m, 24h, 30d")->capture_default_str();
  return [a, &common] { return token(*a, common); };
}

}  // namespace qvid::app
