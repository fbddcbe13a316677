// Who may reach a broker and do what there: the part of `qvid broker` that guards it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "app/broker/broker_config.h"
#include "base/result.h"
#include "pubsub/broker/broker.h"
#include "transport/socket/address.h"

namespace qvid::app {

// What the command line says; an empty option leaves it to the configuration.
struct BrokerSecurityArguments {
  bool open = false;
  std::optional<std::string> token_key;  // file; empty text: without tokens
  std::optional<std::size_t> max_per_address;
};
void add_broker_security(CLI::App& command, BrokerSecurityArguments& arguments);
void apply_security(const BrokerSecurityArguments& arguments, BrokerConfig& config);

// For BrokerOptions::authorise; empty where there is no key. Warns of a key that others can read.
// The error tells what to do: no key where strangers could reach it, or one that is none.
Result<std::function<qps::Result<qps::Rights>(const qps::Join&, const qps::Origin&)>>
broker_authorise(const BrokerConfig& config, const paceline::Address& listen);

}  // namespace qvid::app
