#include "app/broker/broker_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <thread>

#include "app/broker/cluster_config.h"
#include "app/broker/event_hook.h"
#include "app/broker/port_page.h"
#include "app/options/toml_text.h"
#include "app/options/url.h"
#include "app/web/link_preview.h"
#include "transport/socket/address.h"

namespace qvid::app {
namespace {

constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warning", "error"};

Trouble any_text(const std::string&) { return std::nullopt; }
Trouble address_text(const std::string& text) {
  const auto address = paceline::parse_address(text, kDefaultPort);
  if (!address) return address.error().message;
  return std::nullopt;
}
Trouble address_or_nothing(const std::string& text) {
  return text.empty() ? std::nullopt : address_text(text);
}
Trouble networks_text(const std::string& text) {
  const auto networks = parse_networks(text);
  if (!networks) return networks.error().message;
  return std::nullopt;
}
Trouble hook_or_nothing(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto target = EventHook::parse(text);
  if (!target) return target.error().message;
  return std::nullopt;
}
Trouble picture_or_nothing(const std::string& text) { return link_picture_trouble(text); }
Trouble name_or_nothing(const std::string& text) {
  if (text.empty() || qps::is_name(text)) return std::nullopt;
  return "write a name of up to 64 bytes, as tokens have it (aud)";
}
Trouble reload_text(const std::string& text) {
  if (text == "close" || text == "keep") return std::nullopt;
  return "write \"close\" or \"keep\"";
}
Trouble level_text(const std::string& text) {
  if (std::ranges::find(kLevels, text) != kLevels.end()) return std::nullopt;
  return fmt::format("write one of \"{}\"", fmt::join(kLevels, "\", \""));
}

Trouble form_text(const std::string& text) {
  if (text == "text" || text == "json") return std::nullopt;
  return "write \"text\" or \"json\"";
}

Trouble node_name_or_nothing(const std::string& text) {
  if (text.empty() || qps::is_node_name(text)) return std::nullopt;
  return "write a name of 1 to 32 of a-z, 0-9 and the hyphen";
}
Trouble region_or_nothing(const std::string& text) {
  if (text.empty() || qps::is_name(text)) return std::nullopt;
  return "write a name of up to 64 bytes";
}
Trouble servers_or_nothing(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto servers = nats_servers(text);
  if (!servers) return servers.error().message;
  return std::nullopt;
}

struct Key {
  std::string_view name;
  bool live;  // may change while the broker runs
  TomlField<BrokerConfig> field;
};

using C = BrokerConfig;
const std::array kKeys{
    Key{"listen", false, TextField<C>{&C::listen, address_text}},
    Key{"open", false, FlagField<C>{&C::open}},
    Key{"certificate", false, TextField<C>{&C::certificate, any_text}},
    Key{"key", false, TextField<C>{&C::key, any_text}},
    Key{"token_key", true, TextField<C>{&C::token_key, any_text}},
    Key{"token_audience", true, TextField<C>{&C::token_audience, name_or_nothing}},
    Key{"token_revoked", true, TextField<C>{&C::token_revoked, any_text}},
    Key{"token_reload", true, TextField<C>{&C::token_reload, reload_text}},
    Key{"local_admin", true, FlagField<C>{&C::local_admin}},
    Key{"metrics", false, TextField<C>{&C::metrics, address_or_nothing}},
    Key{"hook", false, TextField<C>{&C::hook, hook_or_nothing}},
    Key{"health_from", false, TextField<C>{&C::health_from, networks_text}},
    Key{"link_picture", false, TextField<C>{&C::link_picture, picture_or_nothing}},
    Key{"threads", false, CountField<C>{&C::threads, 0, 256}},
    Key{"max_clients", true, CountField<C>{&C::max_clients, 1, 100'000}},
    Key{"max_per_address", true, CountField<C>{&C::max_per_address, 1, 100'000}},
    Key{"max_members", true, CountField<C>{&C::max_members, 1, 10'000}},
    Key{"max_rooms", true, CountField<C>{&C::max_rooms, 1, 100'000}},
    Key{"max_memory_mb", true, CountField<C>{&C::max_memory_mb, 16, 1'000'000}},
    Key{"max_measuring", true, CountField<C>{&C::max_measuring, 0, 64}},
    Key{"max_requests", true, CountField<C>{&C::max_requests, 10, 100'000}},
    Key{"chat", true, FlagField<C>{&C::chat}},
    Key{"chat_kept", true, CountField<C>{&C::chat_kept, 0, 500}},
    Key{"cluster", false, TextField<C>{&C::cluster, servers_or_nothing}},
    Key{"name", false, TextField<C>{&C::name, node_name_or_nothing}},
    Key{"region", false, TextField<C>{&C::region, region_or_nothing}},
    Key{"advertise", false, TextField<C>{&C::advertise, address_or_nothing}},
    Key{"cluster_credentials", false, TextField<C>{&C::cluster_credentials, any_text}},
    Key{"cluster_ca", false, TextField<C>{&C::cluster_ca, any_text}},
    Key{"cluster_certificate", false, TextField<C>{&C::cluster_certificate, any_text}},
    Key{"cluster_key", false, TextField<C>{&C::cluster_key, any_text}},
    Key{"drain_seconds", true, SecondsField<C>{&C::drain, 3600}},
    Key{"log_level", true, TextField<C>{&C::log_level, level_text}},
    Key{"log_form", true, TextField<C>{&C::log_form, form_text}},
};

Result<BrokerConfig> config_of(const toml::table& table, const std::string& file) {
  BrokerConfig config;
  for (const auto& [name, node] : table) {
    if (node.is_table() && !node.as_table()->is_inline()) {
      return error_at(file, name.source(),
                      "there are no [tables] here, nor keys with dots: write key = value");
    }
    const auto key = std::ranges::find(kKeys, name.str(), &Key::name);
    if (key == kKeys.end()) {
      return error_at(file, name.source(),
                      fmt::format("unknown key '{}': the keys are {}", cut_short(name.str()),
                                  fmt::join(broker_config_keys(), ", ")));
    }
    if (const auto trouble = read_field(node, key->field, config)) {
      return error_at(file, name.source(),
                      fmt::format("'{}': {}", key->name, cut_short(*trouble, 400)));
    }
  }
  if (config.certificate.empty() != config.key.empty()) {
    const char* there = config.key.empty() ? "certificate" : "key";
    return error_at(file, table.get(there)->source(),
                    "'certificate' and 'key' go together: write both, or none");
  }
  return config;
}

}  // namespace

std::size_t BrokerConfig::thread_count() const {
  if (threads > 0) return threads;
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());  // 0: not known
}

Result<BrokerConfig> parse_broker_config(std::string_view text, const std::string& file) {
  const auto table = parse_toml(text, file);
  if (!table) return table.error();
  return config_of(*table, file);
}

Result<BrokerConfig> read_broker_config(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(kMaxTomlFile + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.is_open() || in.bad() || (in.gcount() == 0 && !in.eof())) {
    return Error{file + ": cannot be read: is it there, and may this user read it?"};
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  return parse_broker_config(text, file);
}

std::vector<std::string_view> broker_config_keys() {
  std::vector<std::string_view> names;
  for (const Key& key : kKeys) names.push_back(key.name);
  return names;
}

BrokerReload reload(const BrokerConfig& running, const BrokerConfig& wanted) {
  BrokerReload result{.config = running, .changed = {}, .kept = {}};
  for (const Key& key : kKeys) {
    std::visit(
        [&](const auto& field) {
          if (running.*field.place == wanted.*field.place) return;
          if (key.live) result.config.*field.place = wanted.*field.place;
          (key.live ? result.changed : result.kept).push_back(key.name);
        },
        key.field);
  }
  return result;
}

}  // namespace qvid::app
