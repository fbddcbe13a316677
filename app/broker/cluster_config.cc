#include "app/broker/cluster_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "app/options/url.h"
#include "transport/socket/address.h"

namespace qvid::app {
namespace {

constexpr std::size_t kMaxServers = 16;
constexpr std::uint16_t kNatsPort = 4222;

bool is_server(std::string_view url) {
  for (const std::string_view scheme : {"nats://", "tls://"}) {
    if (!url.starts_with(scheme)) continue;
    url.remove_prefix(scheme.size());
    const std::size_t at = url.rfind('@');
    if (at != std::string_view::npos) url.remove_prefix(at + 1);
    return static_cast<bool>(paceline::parse_address(url, kNatsPort));
  }
  return false;
}

std::optional<Error> unreadable(const std::string& file, const char* what) {
  if (file.empty() || std::ifstream(file).is_open()) return std::nullopt;
  return Error{
      fmt::format("{}: {} cannot be read: is it there, and may this user read it?", what, file)};
}

}  // namespace

void apply_cluster(const ClusterArguments& from, BrokerConfig& to) {
  if (from.cluster) to.cluster = *from.cluster;
  if (from.name) to.name = *from.name;
  if (from.region) to.region = *from.region;
  if (from.advertise) to.advertise = *from.advertise;
  if (from.credentials) to.cluster_credentials = *from.credentials;
  if (from.ca) to.cluster_ca = *from.ca;
}

Result<std::vector<std::string>> nats_servers(std::string_view text) {
  std::vector<std::string> servers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view server = text.substr(0, end);
    if (!is_server(server)) {
      return Error{
          "a server of NATS is written as nats://host:4222 or tls://host:4222, several with "
          "commas between"};
    }
    servers.emplace_back(server);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (servers.empty() || servers.size() > kMaxServers) {
    return Error{fmt::format("write 1 to {} servers of NATS", kMaxServers)};
  }
  return servers;
}

Result<ClusterNodeOptions> cluster_options(const BrokerConfig& config,
                                           const paceline::Address& listen,
                                           const std::string& fingerprint,
                                           const paceline::SessionConfig& session) {
  auto servers = nats_servers(config.cluster);
  if (!servers) return Error{"--cluster: " + servers.error().message};
  if (!qps::is_node_name(config.name)) {
    return Error{"--cluster: name this node too (--name), with 1 to 32 of a-z, 0-9 and the hyphen"};
  }
  if (!config.region.empty() && !qps::is_name(config.region)) {
    return Error{"--region: a name of up to 64 bytes"};
  }
  if (config.advertise.empty() && (listen.host == "0.0.0.0" || listen.host == "::")) {
    return Error{"--cluster: say by which address others reach this node (--advertise host:port)"};
  }
  std::string advertise = listen.text();
  if (!config.advertise.empty()) {
    const auto address = paceline::parse_address(config.advertise, kDefaultPort);
    if (!address) return Error{"--advertise: " + address.error().message};
    advertise = address->text();
  }
  if (config.cluster_certificate.empty() != config.cluster_key.empty()) {
    return Error{"'cluster_certificate' and 'cluster_key' go together: write both, or none"};
  }
  for (const auto& [file, what] : {std::pair(config.cluster_credentials, "cluster_credentials"),
                                   std::pair(config.cluster_ca, "cluster_ca"),
                                   std::pair(config.cluster_certificate, "cluster_certificate"),
                                   std::pair(config.cluster_key, "cluster_key")}) {
    if (auto wrong = unreadable(file, what)) return *std::move(wrong);
  }
  return ClusterNodeOptions{.nats = {.servers = *std::move(servers),
                                     .credentials = config.cluster_credentials,
                                     .ca = config.cluster_ca,
                                     .certificate = config.cluster_certificate,
                                     .key = config.cluster_key},
                            .name = config.name,
                            .region = config.region,
                            .advertise = std::move(advertise),
                            .fingerprint = fingerprint,
                            .session = session};
}

}  // namespace qvid::app
