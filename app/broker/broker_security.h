// Who may reach a broker and do what there: the part of `qvid broker` that guards it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/broker/broker_config.h"
#include "app/options/admission.h"
#include "base/result.h"
#include "transport/socket/address.h"

namespace qvid::app {

// What the command line says; an empty option leaves it to the configuration.
struct BrokerSecurityArguments {
  bool open = false;
  std::optional<std::string> token_key;  // file or folder; empty text: without tokens
  std::optional<std::string> audience;
  std::optional<std::string> revoked;  // file
  std::optional<std::string> reload;
  bool local_admin = false;
  std::optional<std::size_t> max_per_address;
};
void apply_security(const BrokerSecurityArguments& arguments, BrokerConfig& config);

// The files of these, whose change is looked for.
std::vector<std::filesystem::path> token_files(const BrokerConfig& config);

// For BrokerOptions::authorise.
Result<Admission> broker_admission(const BrokerConfig& config, const paceline::Address& listen);

}  // namespace qvid::app
