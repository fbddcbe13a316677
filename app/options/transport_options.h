// The command-line options of connections, the same for every sub-command that makes or takes them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/options/cli.h"
#include "app/options/url.h"
#include "base/result.h"
#include "transport/proxy/proxy_talk.h"
#include "transport/session/host.h"
#include "transport/session/session.h"
#include "transport/session/session_config.h"
#include "transport/session/signal_log.h"
#include "transport/tls/tls.h"

namespace qvid::app {

// Of both ends.
struct TransportArguments {
  std::string controller = "pace";
  std::string min_buf = "1,3";
  double resume = 60;  // seconds
  std::string udp = "auto";
  bool insecure = false;
  bool force_insecure = false;
  std::string signals;  // file for the CSV
};
void add_transport_options(CLI::App& command, TransportArguments& arguments);
// Everything of the session that does not depend on the side.
Result<paceline::SessionConfig> session_config(const TransportArguments& arguments);

struct ServerSecurityArguments {
  std::string certificate;
  std::string key;
  std::vector<std::string> proxy_protocol = {};
};
void add_server_security(CLI::App& command, ServerSecurityArguments& arguments);
// Who the server is; empty: without TLS. The error tells what to do.
Result<std::shared_ptr<paceline::Identity>> server_identity(
    const ServerSecurityArguments& arguments, const TransportArguments& transport,
    const paceline::Address& listen);

// Of --proxy-protocol, for HostOptions::proxies.
Result<std::vector<paceline::Network>> proxies_before(const ServerSecurityArguments& arguments);

struct ClientArguments {
  std::size_t standby = 1;
  std::string ca_file;
  std::string known_hosts;
  std::string proxy;
  std::string limit_down = {};  // empty: none
  bool first_use = false;
  bool no_first_use = false;
};
void add_client_options(CLI::App& command, ClientArguments& arguments);
// --limit-down, of who receives video.
void add_limit_down(CLI::App& command, ClientArguments& arguments);
// Of a session in which one receives, with what is wanted at the most.
Result<paceline::SessionConfig> session_config(const TransportArguments& transport,
                                               const ClientArguments& client);
// Whom the client trusts; empty: without TLS.
Result<std::shared_ptr<paceline::Trust>> client_trust(const ClientArguments& arguments,
                                                      const TransportArguments& transport,
                                                      const Url& url);

// What the option and this process's environment say of proxies.
paceline::ProxySettings proxy_settings(const ClientArguments& arguments);

// Where a client goes, how, and whom it trusts there.
struct Destination {
  Url url;
  paceline::SessionConfig session;
  std::shared_ptr<paceline::Trust> trust;  // empty: without TLS
  std::shared_ptr<paceline::Proxy> proxy;  // empty: directly

  paceline::Session::Remote remote() const {
    return {.address = url.address, .trust = trust, .proxy = proxy};
  }
};
Result<Destination> destination_of(const std::string& url, const TransportArguments& transport,
                                   const ClientArguments& client,
                                   std::string_view unnamed = kLiveName);  // as in parse_url

// The address as other machines may know it: of all interfaces, this machine's name.
paceline::Address as_others_know(paceline::Address address);

// The log that --signals asks for; its trouble goes to the program's log.
Result<std::unique_ptr<paceline::SignalLog>> open_signal_log(boost::asio::io_context& io,
                                                             const std::string& file);

// Where this user's settings are kept: $XDG_CONFIG_HOME/qvid or ~/.config/qvid; empty where there
// is neither.
std::filesystem::path settings_folder();

}  // namespace qvid::app
