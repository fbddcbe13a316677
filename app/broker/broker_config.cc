#include "app/broker/broker_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <variant>

#include "app/broker/port_page.h"
#include "app/options/url.h"
#include "base/text.h"
#include "transport/socket/address.h"

namespace qvid::app {
namespace {

constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warning", "error"};

// Empty: fine.
using Trouble = std::optional<std::string>;

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

struct TextField {
  std::string BrokerConfig::*place;
  Trouble (*check)(const std::string&);
};
struct FlagField {
  bool BrokerConfig::*place;
};
struct NumberField {
  std::size_t BrokerConfig::*place;
  std::int64_t least;
  std::int64_t most;
};
struct SecondsField {
  Duration BrokerConfig::*place;
  double most;
};

struct Key {
  std::string_view name;
  bool live;  // may change while the broker runs
  std::variant<TextField, FlagField, NumberField, SecondsField> field;
};

using C = BrokerConfig;
const std::array kKeys{
    Key{"listen", false, TextField{&C::listen, address_text}},
    Key{"open", false, FlagField{&C::open}},
    Key{"certificate", false, TextField{&C::certificate, any_text}},
    Key{"key", false, TextField{&C::key, any_text}},
    Key{"token_key", true, TextField{&C::token_key, any_text}},
    Key{"token_audience", true, TextField{&C::token_audience, name_or_nothing}},
    Key{"token_revoked", true, TextField{&C::token_revoked, any_text}},
    Key{"token_reload", true, TextField{&C::token_reload, reload_text}},
    Key{"local_admin", true, FlagField{&C::local_admin}},
    Key{"metrics", false, TextField{&C::metrics, address_or_nothing}},
    Key{"health_from", false, TextField{&C::health_from, networks_text}},
    Key{"threads", false, NumberField{&C::threads, 0, 256}},
    Key{"max_clients", true, NumberField{&C::max_clients, 1, 100'000}},
    Key{"max_per_address", true, NumberField{&C::max_per_address, 1, 100'000}},
    Key{"max_members", true, NumberField{&C::max_members, 1, 10'000}},
    Key{"max_rooms", true, NumberField{&C::max_rooms, 1, 100'000}},
    Key{"max_memory_mb", true, NumberField{&C::max_memory_mb, 16, 1'000'000}},
    Key{"max_measuring", true, NumberField{&C::max_measuring, 0, 64}},
    Key{"max_requests", true, NumberField{&C::max_requests, 10, 100'000}},
    Key{"chat", true, FlagField{&C::chat}},
    Key{"chat_kept", true, NumberField{&C::chat_kept, 0, 500}},
    Key{"drain_seconds", true, SecondsField{&C::drain, 3600}},
    Key{"log_level", true, TextField{&C::log_level, level_text}},
};

// Reads the value of a key into its place.
struct Reader {
  const toml::node& node;
  BrokerConfig& config;

  Trouble operator()(const TextField& field) const {
    const auto text = node.value_exact<std::string>();
    if (!text) return "write a text in quotes";
    if (text->size() > kMaxConfigText || printable(*text) != *text) {
      return fmt::format("write a text of at most {} bytes without control characters",
                         kMaxConfigText);
    }
    if (auto trouble = field.check(*text)) return trouble;
    config.*field.place = *text;
    return std::nullopt;
  }
  Trouble operator()(const FlagField& field) const {
    const auto flag = node.value_exact<bool>();
    if (!flag) return "write true or false";
    config.*field.place = *flag;
    return std::nullopt;
  }
  Trouble operator()(const NumberField& field) const {
    const auto number = node.value_exact<std::int64_t>();
    if (!number || *number < field.least || *number > field.most) {
      return fmt::format("write a whole number from {} to {}", field.least, field.most);
    }
    config.*field.place = static_cast<std::size_t>(*number);
    return std::nullopt;
  }
  Trouble operator()(const SecondsField& field) const {
    const auto seconds =
        node.is_number() ? node.value<double>() : std::optional<double>();  // 2 and 2.5
    if (!seconds || !(*seconds >= 0 && *seconds <= field.most)) {
      return fmt::format("write a number of seconds from 0 to {}", field.most);
    }
    config.*field.place = from_seconds(*seconds);
    return std::nullopt;
  }
};

// What people wrote, in an error: short, and no control characters.
std::string shown(std::string_view text, std::size_t most = 40) {
  return printable(std::string(text.substr(0, most))) + (text.size() > most ? "..." : "");
}

Error at(const std::string& file, const toml::source_region& where, const std::string& what) {
  return Error{fmt::format("{}:{}: {}", file, where.begin.line, what)};
}

// What toml++ (3.3, 3.4) is kept from, in lines that are no comments; a text of many lines could
// hide one. A letter beyond ASCII outside of a text leads it to code that it declares unreachable,
// and tables within tables are a recursion of it that has a bound for brackets (256), none for dots.
std::optional<Error> not_for_the_parser(std::string_view text, const std::string& file) {
  constexpr std::ptrdiff_t kMostDots = 1000;
  std::ptrdiff_t dots = 0;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.substr(std::min(line.find_first_not_of(" \t"), line.size())).starts_with('#'))
      continue;
    const auto trouble = [&](const char* what) {
      return Error{fmt::format("{}:{}: {}", file, number, what)};
    };
    if (std::ranges::any_of(line, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
      return trouble("write ASCII, and other letters as in \"\\u00e4\"");
    }
    if (line.find("\"\"\"") != line.npos || line.find("'''") != line.npos) {
      return trouble("write a text in one line, in single or double quotes");
    }
    dots += std::ranges::count(line, '.');
    if (dots > kMostDots) return trouble("there are too many dots for a configuration");
  }
  return std::nullopt;
}

Result<BrokerConfig> config_of(const toml::table& table, const std::string& file) {
  BrokerConfig config;
  for (const auto& [name, node] : table) {
    if (node.is_table() && !node.as_table()->is_inline()) {
      return at(file, name.source(),
                "there are no [tables] here, nor keys with dots: write key = value");
    }
    const auto key = std::ranges::find(kKeys, name.str(), &Key::name);
    if (key == kKeys.end()) {
      return at(file, name.source(),
                fmt::format("unknown key '{}': the keys are {}", shown(name.str()),
                            fmt::join(broker_config_keys(), ", ")));
    }
    if (const auto trouble = std::visit(Reader{node, config}, key->field)) {
      return at(file, name.source(), fmt::format("'{}': {}", key->name, shown(*trouble, 400)));
    }
  }
  if (config.certificate.empty() != config.key.empty()) {
    const char* there = config.key.empty() ? "certificate" : "key";
    return at(file, table.get(there)->source(),
              "'certificate' and 'key' go together: write both, or none");
  }
  return config;
}

}  // namespace

Result<BrokerConfig> parse_broker_config(std::string_view text, const std::string& file) {
  if (text.size() > kMaxConfigFile) {
    return Error{
        fmt::format("{}: more than {} bytes: this is no configuration", file, kMaxConfigFile)};
  }
  if (auto trouble = not_for_the_parser(text, file)) return *std::move(trouble);
  try {
    return config_of(toml::parse(text), file);
  } catch (const toml::parse_error& e) {
    return at(file, e.source(),
              "write key = value, the value a text in quotes, a number, true or false (" +
                  shown(e.description(), 200) + ")");
  }
}

Result<BrokerConfig> read_broker_config(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(kMaxConfigFile + 1, '\0');
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
