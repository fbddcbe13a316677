#include "app/command/hosted_call.h"

#include <fmt/format.h>

#include <boost/asio/ip/udp.hpp>

#include "app/command/party_arguments.h"
#include "app/command/web_link.h"
#include "app/log/log.h"
#include "app/web/guest_page.h"

namespace qvid::app {
namespace {

// Sessions beyond the parties, to be told no by the room and not by a closed door.
constexpr std::size_t kMoreToBeTold = 8;
constexpr Duration kTurn = std::chrono::milliseconds(50);
constexpr int kMostTurns = 20;

constexpr const char* kEveryInterface = "0.0.0.0";

bool is_unspecified(const std::string& host) { return host == "0.0.0.0" || host == "::"; }

// This machine's address towards others. No packet is sent: a route is looked up, to an address
// that is for documentation (RFC 5737).
std::string own_address(boost::asio::io_context& io) {
  namespace ip = boost::asio::ip;
  boost::system::error_code error;
  ip::udp::socket socket(io, ip::udp::v4());
  socket.connect({ip::make_address_v4("192.0.2.1"), 9}, error);
  if (error) return {};
  const auto end = socket.local_endpoint(error);
  return error ? std::string() : end.address().to_string();
}

paceline::Address as_the_other_types(boost::asio::io_context& io, paceline::Address address) {
  if (!is_unspecified(address.host)) return address;
  const std::string own = own_address(io);
  if (own.empty()) return as_others_know(address);
  address.host = own;
  return address;
}

// There is one room.
qps::BrokerOptions broker_options(const HostedCallOptions& hosted) {
  qps::BrokerOptions options;
  options.max_members = hosted.max_parties;
  options.max_rooms = 1;
  options.authorise = [admitted = passphrase_admission(hosted.passphrase)](
                          const qps::Join& join, const qps::Origin& from) -> Result<qps::Rights> {
    if (join.room != kCallRoom) {
      return Error{
          "this is a call without a broker and has no other rooms: leave the room out of "
          "the URL"};
    }
    auto rights = admitted ? admitted(join, from) : Result<qps::Rights>(qps::Rights{});
    if (rights) rights->admin = from.loopback;  // the host itself
    return rights;
  };
  return options;
}

}  // namespace

Result<HostedCallOptions> hosted_call_options(const HostArguments& a,
                                              const TransportArguments& transport,
                                              const ClientArguments& client,
                                              std::string passphrase) {
  const auto listen =
      paceline::parse_address(a.listen.empty() ? kEveryInterface : a.listen, kDefaultPort);
  if (!listen) return listen.error();
  auto session = session_config(transport, client);  // the limit is each guest's
  if (!session) return session.error();
  auto identity = server_identity(a.security, transport, *listen);
  if (!identity) return identity.error();
  if (passphrase.empty() && !a.open && !listen->is_loopback()) passphrase = make_passphrase();
  if (!passphrase.empty()) {
    if (auto error = unfit_passphrase(passphrase)) return *std::move(error);
  }
  return HostedCallOptions{.listen = *listen,
                           .identity = *identity,
                           .session = *session,
                           .passphrase = std::move(passphrase),
                           .max_parties = a.max_parties};
}

Result<std::unique_ptr<HostedCall>> HostedCall::open(boost::asio::io_context& io,
                                                     HostedCallOptions options) {
  auto server = qps::BrokerServer::open(
      io,
      {.listen = options.listen,
       .identity = options.identity,
       .page = [](std::string_view path,
                  const paceline::Address&) { return guest_page(path, embedded_assets()); },
       .session = options.session,
       .max_clients = options.max_parties + kMoreToBeTold,
       .broker = broker_options(options)},
      [](const qps::BrokerLine& line) { log_debug("{}", line.text); });
  if (!server) return server.error();
  return std::unique_ptr<HostedCall>(new HostedCall(io, std::move(options), *std::move(server)));
}

HostedCall::HostedCall(boost::asio::io_context& io, HostedCallOptions options,
                       std::unique_ptr<qps::BrokerServer> server)
    : options_(std::move(options)), timer_(io), server_(std::move(server)) {
  url_ = {.address = as_the_other_types(io, server_->address()),
          .name = {},
          .fingerprint = options_.identity ? options_.identity->fingerprint() : ""};
}

Result<Destination> HostedCall::own(const TransportArguments& transport,
                                    const ClientArguments& client) const {
  Url url = url_;
  url.name = kCallRoom;
  url.address = server_->address();
  if (url.address.host == "0.0.0.0") url.address.host = "127.0.0.1";
  if (url.address.host == "::") url.address.host = "::1";
  ClientArguments here = client;  // what it says of a proxy and a limit is not meant for this
  here.proxy = "direct";
  here.limit_down.clear();
  return destination_of(url.text(), transport, here);
}

void HostedCall::announce(bool shows_code) const {
  const std::string& secret = options_.passphrase;
  log_info("waiting at {}; the other types: qvid call {}{}{}", url_.text(), url_.text(),
           options_.identity ? "" : " --insecure",
           secret.empty() ? "" : " --passphrase '" + secret + "'");
  if (options_.listen.is_loopback()) {
    log_info("up to {} parties, from this machine only", options_.max_parties);
  } else if (!secret.empty()) {
    log_info("up to {} parties, who say that passphrase", options_.max_parties);
  } else {
    log_warning("everyone who reaches {} may join, up to {} parties: give the URL{} to nobody else",
                url_.address.text(), options_.max_parties,
                options_.identity ? " with its fingerprint" : "");
  }
  tell_web_link(web_link(options_.identity != nullptr, url_.address, kCallRoom, secret),
                shows_code);
}

void HostedCall::close(const std::string& reason) {
  server_->broker().dismiss(reason);
  stop_when_told(kMostTurns);
}

// Who has been told closes its session.
void HostedCall::stop_when_told(int turns) {
  if (server_->broker().clients() == 0 || turns == 0) return server_->stop();
  timer_.after(kTurn, [this, turns] { stop_when_told(turns - 1); });
}

}  // namespace qvid::app
