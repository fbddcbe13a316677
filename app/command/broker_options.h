// The options of `qvid broker` that say who may reach it, and of which cluster it is a node.
#pragma once

#include "app/broker/broker_security.h"
#include "app/broker/cluster_config.h"
#include "app/options/cli.h"

namespace qvid::app {

void add_broker_security(CLI::App& command, BrokerSecurityArguments& arguments);
void add_cluster_options(CLI::App& command, ClusterArguments& arguments);

}  // namespace qvid::app
