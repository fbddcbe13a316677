// What `qvid broker` is told of the cluster that it is to be a node of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/broker/broker_config.h"
#include "app/broker/cluster_node.h"

namespace qvid::app {

// As on the command line; empty: the file says.
struct ClusterArguments {
  std::optional<std::string> cluster;
  std::optional<std::string> name;
  std::optional<std::string> region;
  std::optional<std::string> advertise;
  std::optional<std::string> credentials;
  std::optional<std::string> ca;
};
void apply_cluster(const ClusterArguments& from, BrokerConfig& to);

// From "nats://a:4222,tls://b:4222": 1 to 16 servers, each with user:password@ or token@ before the
// host where it wants that. The error says what to write.
Result<std::vector<std::string>> nats_servers(std::string_view text);

// What a configuration with `cluster` means; `listen` is what the broker listens on. The error says
// which of its keys is missing or wrong. Precondition: config.cluster is not empty.
Result<ClusterNodeOptions> cluster_options(const BrokerConfig& config,
                                           const paceline::Address& listen,
                                           const std::string& fingerprint,
                                           const paceline::SessionConfig& session);

}  // namespace qvid::app
