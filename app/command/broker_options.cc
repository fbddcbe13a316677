#include "app/command/broker_options.h"

#include <CLI/CLI.hpp>

namespace qvid::app {

void add_broker_security(CLI::App& command, BrokerSecurityArguments& a) {
  auto* key = command.add_option("--token-key", a.token_key,
                                 "Let in only who has a token of this key file, as `qvid token` "
                                 "makes them; or of a folder of such files, each named as its "
                                 "tokens name it");
  command.add_option("--token-audience", a.audience,
                     "This broker's name: take tokens that are for it alone");
  command.add_option(
      "--token-revoked", a.revoked,
      "File of the tokens that were called back, as `qvid token --revoke` writes it");
  command
      .add_option("--token-reload", a.reload,
                  "Members whom their token would not let in any more when these files change: "
                  "close or keep them (close)")
      ->check(CLI::IsMember({"close", "keep"}));
  command.add_flag("--local-admin", a.local_admin,
                   "Without tokens: who comes from this machine administers, also by a proxy or "
                   "tunnel on it");
  command
      .add_flag("--open", a.open,
                "Without tokens: let everybody who reaches it join, also from other machines")
      ->excludes(key);
  command
      .add_option("--max-per-address", a.max_per_address,
                  "Sessions from one address at the same time, other than this machine's own (64)")
      ->check(CLI::Range(1, 100'000));
}

void add_cluster_options(CLI::App& command, ClusterArguments& to) {
  command.add_option(
      "--cluster", to.cluster,
      "Servers of NATS, as nats://a:4222,nats://b:4222: this broker is a node of the "
      "cluster that they tell of, and rooms span its nodes");
  command.add_option("--name", to.name, "Of this node in the cluster: a-z, 0-9, hyphens");
  command.add_option("--region", to.region,
                     "Where this node is: clients are told of near ones first");
  command.add_option("--advertise", to.advertise,
                     "host:port by which clients and other nodes reach this one (as --listen)");
  command.add_option("--cluster-credentials", to.credentials,
                     "File with a user's credentials for NATS (.creds)");
  command.add_option("--cluster-ca", to.ca,
                     "PEM file of the CA of NATS' servers; with it they are spoken to by TLS");
}

}  // namespace qvid::app
