#include "app/options/transport_options.h"

#include <CLI/CLI.hpp>

#include <boost/asio/ip/host_name.hpp>
#include <charconv>
#include <cstdlib>

#include "app/log/log.h"
#include "app/options/desktop_proxy.h"
#include "app/options/values.h"
#include "base/text.h"
#include "base/user_folder.h"

namespace qvid::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNoFolder =
    "there is no home folder (HOME and XDG_CONFIG_HOME are empty) to keep ";

// "A,B", each 0..100.
Result<std::pair<std::uint32_t, std::uint32_t>> parse_min_buf(std::string_view text) {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, a);
  if (first.ec == std::errc{} && first.ptr != end && *first.ptr == ',') {
    const auto second = std::from_chars(first.ptr + 1, end, b);
    if (second.ec == std::errc{} && second.ptr == end && a <= 100 && b <= 100 && a + b > 0) {
      return std::pair(a, b);
    }
  }
  return Error{"--min-buf " + in_quotes(text) + ": write two numbers up to 100, as 1,3"};
}

Error insecure_refused(const std::string& where) {
  return Error{"--insecure is for this machine only, and " + where +
               " is not: anybody on the way could watch, or join in. Leave it out, or say "
               "--force-insecure if you mean it"};
}

}  // namespace

fs::path settings_folder() { return user_folder("XDG_CONFIG_HOME", ".config"); }

void add_transport_options(CLI::App& c, TransportArguments& a) {
  c.add_option("--controller", a.controller,
               "What holds the delay of what this end sends low: pace, or for comparisons adapt, "
               "sock, mtp (TCP Reno's window for datagrams: --udp only), or none (plain TCP)")
      ->check(CLI::IsMember({"pace", "adapt", "sock", "mtp", "none"}))
      ->capture_default_str()
      ->group("Connection");
  c.add_option("--min-buf", a.min_buf,
               "A,B of the controllers adapt and sock, which keep A windows and up to B segments "
               "in the socket")
      ->capture_default_str()
      ->group("Connection");
  c.add_option(
       "--udp", a.udp,
       "Content by UDP, at the port of TCP, sealed with the session's own keys: auto, where "
       "that passes; never; only, or the session ends (for measuring)")
      ->check(CLI::IsMember({"auto", "never", "only"}))
      ->capture_default_str()
      ->group("Connection");
  c.add_option("--resume", a.resume,
               "Seconds for which a session that has lost all its sockets may be resumed; 0: none")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str()
      ->group("Connection");
  c.add_flag("--insecure", a.insecure, "Without TLS: for addresses of this machine only")
      ->group("Connection");
  c.add_flag("--force-insecure", a.force_insecure,
             "As --insecure, and to or for other machines: anybody on the way can watch "
             "and change all of it")
      ->group("Connection");
  c.add_option("--signals", a.signals,
               "Log what the sessions measure to this file, as CSV; watch it with `qvid mon`")
      ->group("Connection");
}

Result<paceline::SessionConfig> session_config(const TransportArguments& a) {
  const auto min_buf = parse_min_buf(a.min_buf);
  if (!min_buf) return min_buf.error();
  paceline::SessionConfig config;
  config.controller.name = a.controller;
  config.controller.min_buf_a = min_buf->first;
  config.controller.min_buf_b = min_buf->second;
  if (a.udp == "only" && a.controller != "pace") {
    return Error{"--udp only wants --controller pace: " + a.controller +
                 " has no congestion control of its own"};
  }
  config.resume_limit = from_seconds(a.resume);
  config.datagrams = a.udp == "never"  ? paceline::Datagrams::kNever
                     : a.udp == "only" ? paceline::Datagrams::kOnly
                                       : paceline::Datagrams::kAuto;
  return config;
}

void add_server_security(CLI::App& c, ServerSecurityArguments& a) {
  auto* certificate =
      c.add_option("--certificate", a.certificate,
                   "Certificate of this server, PEM, its chain behind it; without it one is made "
                   "at the first start and kept")
          ->group("Connection");
  auto* key = c.add_option("--key", a.key, "Its private key, PEM")->group("Connection");
  certificate->needs(key);
  key->needs(certificate);
  c.add_option(
       "--proxy-protocol", a.proxy_protocol,
       "Addresses (10.0.0.0/8, or one) of a proxy before this server whose connections begin "
       "with the PROXY protocol, version 1 or 2: limits see the client's address then")
      ->group("Connection");
}

Result<std::vector<paceline::Network>> proxies_before(const ServerSecurityArguments& a) {
  std::vector<paceline::Network> networks;
  for (const std::string& text : a.proxy_protocol) {
    const auto network = paceline::Network::parse(text);
    if (!network) return Error{"--proxy-protocol: " + network.error().message};
    networks.push_back(*network);
  }
  return networks;
}

Result<std::shared_ptr<paceline::Identity>> server_identity(const ServerSecurityArguments& a,
                                                            const TransportArguments& transport,
                                                            const paceline::Address& listen) {
  if (transport.force_insecure) return std::shared_ptr<paceline::Identity>();
  if (transport.insecure) {
    if (!listen.is_loopback() || !a.proxy_protocol.empty()) {
      return insecure_refused(listen.text() +
                              (a.proxy_protocol.empty() ? "" : ", behind a proxy,"));
    }
    return std::shared_ptr<paceline::Identity>();
  }
  const fs::path folder = settings_folder();
  if (a.certificate.empty() && folder.empty()) {
    return Error{std::string(kNoFolder) + "a certificate in: give --certificate and --key"};
  }
  auto identity = a.certificate.empty() ? paceline::Identity::load_or_generate(folder / "identity")
                                        : paceline::Identity::load(a.certificate, a.key);
  if (!identity && a.certificate.empty()) {
    return Error{identity.error().message +
                 "; name a folder for settings with XDG_CONFIG_HOME, or give --certificate and "
                 "--key"};
  }
  if (!identity) return identity;
  if ((*identity)->generated()) {
    log_info("made a certificate for this server, kept in {}", (folder / "identity").string());
  }
  if (!(*identity)->warning().empty()) log_warning("{}", (*identity)->warning());
  return identity;
}

void add_client_options(CLI::App& c, ClientArguments& a) {
  c.add_option("--standby", a.standby,
               "Connections kept ready for when the one in use stalls, besides the two in use")
      ->check(CLI::Range(0, 8))
      ->capture_default_str()
      ->group("Connection");
  c.add_option("--ca", a.ca_file, "Trust servers that this CA vouches for (PEM), and no others")
      ->check(CLI::ExistingFile)
      ->group("Connection");
  c.add_option("--known-hosts", a.known_hosts,
               "File that remembers the servers met before; default: known_hosts in the settings")
      ->group("Connection");
  c.add_option("--proxy", a.proxy,
               "Go through this proxy: http://[user:password@]host:port or socks5://...; direct: "
               "through none. Without it, HTTPS_PROXY, ALL_PROXY and NO_PROXY say")
      ->group("Connection");
  auto* first =
      c.add_flag("--first-use", a.first_use,
                 "Trust an unknown server the first time, and its key from then on, under any "
                 "name; without it only at an address, a .local name or one without a dot")
          ->group("Connection");
  c.add_flag("--no-first-use", a.no_first_use, "Trust no unknown server, wherever it is")
      ->excludes(first)
      ->group("Connection");
}

void add_limit_down(CLI::App& c, ClientArguments& a) {
  c.add_option("--limit-down", a.limit_down,
               "Bits a second that the other end may send at the most, as 800k: what matters most "
               "comes, and the picture is as good as fits; who is of an older version sends more")
      ->group("Connection");
}

Result<paceline::SessionConfig> session_config(const TransportArguments& transport,
                                               const ClientArguments& client) {
  auto session = session_config(transport);
  if (!session || client.limit_down.empty()) return session;
  const auto rate = parse_bitrate(client.limit_down);
  if (!rate) return Error{"--limit-down: " + rate.error().message};
  session->receive_limit = *rate;
  return session;
}

paceline::ProxySettings proxy_settings(const ClientArguments& a) {
  const auto value_of = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  paceline::ProxySettings settings;
  settings.option = a.proxy;
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    settings.environment = value_of(name);
    settings.variable = name;
    if (!settings.environment.empty()) break;
  }
  settings.exceptions = value_of("no_proxy");
  if (settings.exceptions.empty()) settings.exceptions = value_of("NO_PROXY");
  return settings;
}

Result<std::shared_ptr<paceline::Trust>> client_trust(const ClientArguments& a,
                                                      const TransportArguments& transport,
                                                      const Url& url) {
  if (transport.force_insecure) return std::shared_ptr<paceline::Trust>();
  if (transport.insecure) {
    if (!url.address.is_loopback()) return insecure_refused(url.address.text());
    return std::shared_ptr<paceline::Trust>();
  }
  paceline::TrustOptions options;
  if (!url.fingerprint.empty()) options.fingerprint = url.fingerprint;
  options.ca_file = a.ca_file;
  if (a.first_use) options.first_use = paceline::FirstUse::kAlways;
  if (a.no_first_use) options.first_use = paceline::FirstUse::kNever;
  const fs::path folder = settings_folder();
  if (!a.known_hosts.empty()) {
    options.known_hosts = a.known_hosts;
  } else if (!folder.empty()) {
    options.known_hosts = folder / "known_hosts";
  }
  return paceline::Trust::make(std::move(options));
}

Result<Destination> destination_of(const std::string& text, const TransportArguments& transport,
                                   const ClientArguments& client, std::string_view unnamed) {
  const auto url = parse_url(text, unnamed);
  if (!url) return url.error();
  auto session = session_config(transport, client);
  if (!session) return session.error();
  session->standby = client.standby;
  auto trust = client_trust(client, transport, *url);
  if (!trust) return trust.error();
  paceline::ProxySettings settings = proxy_settings(client);
  if (settings.option.empty() && settings.environment.empty() && !url->address.is_loopback()) {
    settings.environment = desktop_proxy(url->address);
    settings.variable = "the desktop's settings";
  }
  const auto chosen = choose_proxy(settings, url->address);
  if (!chosen) return chosen.error();
  std::shared_ptr<paceline::Proxy> proxy;
  if (*chosen) {
    log_info("going through the proxy {} ({})", (*chosen)->server.text(), (*chosen)->from);
    proxy = std::make_shared<paceline::Proxy>(
        paceline::Proxy{.server = (*chosen)->server, .login = {}});
  }
  return Destination{.url = *url, .session = *session, .trust = *trust, .proxy = proxy};
}

paceline::Address as_others_know(paceline::Address address) {
  if (address.host == "0.0.0.0" || address.host == "::") {
    address.host = boost::asio::ip::host_name();
  }
  return address;
}

Result<std::unique_ptr<paceline::SignalLog>> open_signal_log(boost::asio::io_context& io,
                                                             const std::string& file) {
  auto log = paceline::SignalLog::open(
      io, file, {.on_trouble = [](const std::string& trouble) { log_warning("{}", trouble); }});
  if (!log) return Error{"--signals: " + log.error().message};
  return log;
}

}  // namespace qvid::app
