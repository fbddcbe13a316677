// `qvid token`: makes the keys and tokens that brokers let people in by.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command/commands.h"
#include "app/command/report.h"
#include "app/options/values.h"
#include "app/options/wall_time.h"

namespace qvid::app {
namespace {

struct TokenArguments {
  std::string new_key;
  std::string key;
  std::string room;
  std::string name;
  std::vector<std::string> rights{"publish", "subscribe"};
  std::string valid = "24h";
};

ExitCode make_key(const std::string& file, const CommonOptions& common) {
  if (const auto error = qps::TokenKey::create(file)) {
    spdlog::error("{}", error->message);
    return kExitFailure;
  }
  spdlog::info("a new key is in {}; next: qvid broker --token-key {}", file, file);
  if (common.json) fmt::print("{}\n", dump({{"key", file}}));
  return kExitOk;
}

std::string text_of(qps::WallTime time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(time.time_since_epoch().count()));
}

ExitCode token(const TokenArguments& a, const CommonOptions& common) {
  const auto usage = [](const std::string& message) {
    spdlog::error("{}", message);
    return kExitUsage;
  };
  if (!a.new_key.empty()) return make_key(a.new_key, common);
  if (a.key.empty()) return usage("say which key with --key FILE, or make one with --new-key FILE");
  if (a.room.empty()) return usage("say which room with --room NAME; '*' is every one");
  if (a.name.empty()) return usage("say whose name it is for with --name NAME; '*' is any");
  const auto has = [&](const char* right) { return std::ranges::count(a.rights, right) > 0; };
  const auto validity = parse_validity(a.valid);
  if (!validity) return usage("--valid: " + validity.error().message);
  const auto key = qps::TokenKey::load(a.key);
  if (!key) return usage("--key: " + key.error().message);
  if (!key->hint().empty()) spdlog::warn("{}", key->hint());
  const qps::WallTime now = wall_now();
  const qps::TokenClaims claims{.room = a.room,
                                .name = a.name,
                                .publish = has("publish"),
                                .subscribe = has("subscribe"),
                                .admin = has("admin"),
                                .expires = now + *validity};
  const auto made = qps::issue_token(claims, *key, now);
  if (!made) return usage(made.error().message);
  if (common.json) {
    fmt::print("{}\n", dump({{"token", *made},
                             {"room", a.room},
                             {"name", a.name},
                             {"rights", a.rights},
                             {"expires", claims.expires.time_since_epoch().count()}}));
    return kExitOk;
  }
  spdlog::info("for the room '{}', the name '{}', {}, until {}", a.room, a.name,
               fmt::join(a.rights, " and "), text_of(claims.expires));
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
      "A token cannot be called back before its time: a short one is a safe one.");
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
  c->add_option("--valid", a->valid, "How long: 90s, 45m, 24h, 30d")->capture_default_str();
  return [a, &common] { return token(*a, common); };
}

}  // namespace qvid::app
