// Who may reach a broker and do what there: the part of `qvid broker` that guards it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "base/result.h"
#include "pubsub/broker.h"
#include "transport/address.h"

namespace qvid::app {

struct BrokerSecurityArguments {
  bool open = false;
  std::string token_key;  // file; empty: without tokens
  std::size_t max_per_address = 64;
};
void add_broker_security(CLI::App& command, BrokerSecurityArguments& arguments);

// For BrokerOptions::authorise; empty where there is no key. Warns of a key that others can read.
// The error tells what to do: no key where strangers could reach it, or one that is none.
Result<std::function<qps::Result<qps::Rights>(const qps::Join&, const qps::Origin&)>>
broker_authorise(const BrokerSecurityArguments& arguments, const paceline::Address& listen);

}  // namespace qvid::app
