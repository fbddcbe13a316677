#include "transport/tls/tls_trust.h"

#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <utility>

#include "transport/socket/address.h"
#include "transport/tls/tls_files.h"

namespace paceline {
namespace {

using Verdict = Trust::State::Verdict;

constexpr std::size_t kMaxTickets = 8;

// Where OpenSSL keeps our pointer in an SSL.
int check_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

ServerCheck& check_of(const SSL* ssl) {
  return *static_cast<ServerCheck*>(SSL_get_ex_data(ssl, check_index()));
}

bool is_numeric(const std::string& host) {
  boost::system::error_code not_numeric;
  boost::asio::ip::make_address(host, not_numeric);
  return !not_numeric;
}

// Where no public CA can be expected to vouch: an address, a name of this network. `name`:
// "host:port", normal.
bool is_local(const std::string& name) {
  const auto address = parse_address(name, 0);
  if (!address) return false;
  const std::string& host = address->host;
  return is_numeric(host) || host.ends_with(".local") || host.find('.') == std::string::npos;
}

std::string ca_objection(X509_STORE_CTX* store) {
  if (X509_verify_cert(store) == 1) return {};
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(store));
}

}  // namespace

qvid::Result<std::shared_ptr<Trust>> Trust::make(TrustOptions options) {
  auto state = std::make_unique<State>();
  state->context = make_tls_context(TLS_client_method());
  SSL_CTX* context = state->context.get();
  if (options.fingerprint) {
    auto normal = parse_fingerprint(*options.fingerprint);
    if (!normal) return normal.error();
    options.fingerprint = *std::move(normal);
  } else if (!options.ca_file.empty()) {
    const auto readable = read_file(options.ca_file);
    if (!readable) return readable.error();
    if (!*readable) return qvid::Error{"there is no CA file " + options.ca_file.string()};
    if (SSL_CTX_load_verify_file(context, options.ca_file.c_str()) != 1) {
      return qvid::Error{"the CA file " + options.ca_file.string() +
                         " holds no certificate in PEM form: " + take_tls_error()};
    }
    // An intermediate certificate, or the server's own, is as good as a root where it is named.
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
  } else {
    // A system without a store has no public CA: the other ways remain.
    if (SSL_CTX_set_default_verify_paths(context) != 1) (void)take_tls_error();
    if (!options.known_hosts.empty()) {
      state->memory.emplace(options.known_hosts);
      if (const auto readable = state->memory->find(""); !readable) return readable.error();
    }
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(context, ServerCheck::verify, nullptr);
  SSL_CTX_set_alpn_protos(context, kAlpn, kAlpnSize);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
  SSL_CTX_sess_set_new_cb(context, ServerCheck::keep_session);
  state->options = std::move(options);
  return std::shared_ptr<Trust>(new Trust(std::move(state)));
}

Trust::Trust(std::unique_ptr<State> state) : state_(std::move(state)) {}
Trust::~Trust() = default;

std::optional<std::string> Trust::take_notice() { return std::exchange(state_->notice, {}); }

Trust::State::Judgement Trust::State::judge(
    const std::string& name, const std::string& fingerprint,
    const std::function<std::string()>& objection_of_ca) const {
  const auto refused = [](std::string why) {
    return Judgement{.verdict = Verdict::refused, .refusal = std::move(why)};
  };
  if (options.fingerprint) {
    if (fingerprint == *options.fingerprint) return {.verdict = Verdict::by_key, .refusal = {}};
    return refused("the server at " + name + " is not the one you named: its key is " +
                   fingerprint + ", not " + *options.fingerprint +
                   "; either the address is out of date or someone is in the middle");
  }
  if (!options.ca_file.empty()) {
    const std::string why = objection_of_ca();
    if (why.empty()) return {.verdict = Verdict::by_ca, .refusal = {}};
    return refused("the certificate of the server at " + name + " is not valid by " +
                   options.ca_file.string() + ": " + why + "; its key is " + fingerprint);
  }
  if (memory) {
    const auto found = memory->find(name);
    if (!found)
      return refused("the server at " + name + " cannot be checked: " + found.error().message);
    if (std::ranges::find(*found, fingerprint, &KnownHost::fingerprint) != found->end()) {
      return {.verdict = Verdict::by_key, .refusal = {}};
    }
    if (std::ranges::find(*found, true, &KnownHost::by_ca) != found->end()) {
      const std::string why = objection_of_ca();
      if (why.empty()) return {.verdict = Verdict::by_ca, .refusal = {}};
      const std::size_t line = std::ranges::find(*found, true, &KnownHost::by_ca)->line;
      return refused(
          "a public CA vouched for the server at " + name + " before, and now does not (" + why +
          "): someone may be in the middle. Its key is " + fingerprint +
          "; if that is what the server shows at its start, add #" + fingerprint +
          " to the URL, or remove line " + std::to_string(line) + " of " + memory->path().string());
    }
    if (!found->empty()) {
      const KnownHost& known = found->front();
      const std::string line =
          "line " + std::to_string(known.line) + " of " + memory->path().string();
      if (known.fingerprint.empty()) {
        return refused(
            line + " names the server at " + name +
            " and its fingerprint cannot be read: remove the line. The server's key is " +
            fingerprint);
      }
      return refused("the key of the server at " + name + " has changed: it was " +
                     known.fingerprint + ", it is " + fingerprint +
                     ". Either the server was reinstalled or someone is in the middle. If the new "
                     "key is right, remove " +
                     line + ", or add #" + fingerprint + " to the URL");
    }
  }
  const std::string why = objection_of_ca();
  if (why.empty()) return {.verdict = Verdict::by_ca, .refusal = {}};
  const bool may_be_first = options.first_use == FirstUse::kAlways ||
                            (options.first_use == FirstUse::kLocal && is_local(name));
  if (memory && may_be_first) return {.verdict = Verdict::first_use, .refusal = {}};
  return refused("the server at " + name + " is unknown, and no public CA vouches for it (" + why +
                 "). Its key is " + fingerprint +
                 ": if that is what the server shows at its start, add #" + fingerprint +
                 " to the URL" + (memory ? ", or say --first-use" : ""));
}

void Trust::State::put_ticket(Ticket ticket) {
  if (tickets.size() == kMaxTickets) tickets.erase(tickets.begin());
  tickets.push_back(std::move(ticket));
}

std::optional<Trust::State::Ticket> Trust::State::take_ticket(const std::string& name) {
  std::erase_if(tickets, [&](const Ticket& ticket) {
    if (ticket.name != name) return false;
    const X509* certificate = SSL_SESSION_get0_peer(ticket.session.get());
    if (!certificate || SSL_SESSION_is_resumable(ticket.session.get()) != 1) return true;
    const bool expired = X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0;
    const auto verdict = judge(name, fingerprint_of(certificate), [&] {
                           return ticket.by_ca && !expired ? "" : "not verified by a CA";
                         }).verdict;
    return verdict != Verdict::by_key && verdict != Verdict::by_ca;
  });
  const auto newest = std::find_if(tickets.rbegin(), tickets.rend(),
                                   [&](const Ticket& ticket) { return ticket.name == name; });
  if (newest == tickets.rend()) return {};
  if (std::ranges::count(tickets, name, &Ticket::name) > 1) {
    Ticket taken = std::move(*newest);
    tickets.erase(std::next(newest).base());
    return taken;
  }
  SSL_SESSION_up_ref(newest->session.get());
  return Ticket{
      .name = name, .by_ca = newest->by_ca, .session = TlsSessionPtr(newest->session.get())};
}

ServerCheck::ServerCheck(std::shared_ptr<Trust> trust, const std::string& host, std::uint16_t port)
    : trust_(std::move(trust)),
      host_(normal_host(host)),
      name_(Address{.host = host_, .port = port}.text()) {}

bool ServerCheck::prepare(SSL* ssl) {
  if (SSL_set_ex_data(ssl, check_index(), this) != 1) return false;
  if (is_numeric(host_)) {
    // A zone (fe80::1%eth0) is of this machine; a certificate knows none.
    const std::string ip = host_.substr(0, host_.find('%'));
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), ip.c_str()) != 1) return false;
  } else {
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (SSL_set1_host(ssl, host_.c_str()) != 1) return false;
    if (SSL_set_tlsext_host_name(ssl, host_.c_str()) != 1) return false;
  }
  if (auto ticket = trust_->state().take_ticket(name_)) {
    verdict_ = ticket->by_ca ? Verdict::by_ca : Verdict::by_key;
    fingerprint_ = fingerprint_of(SSL_SESSION_get0_peer(ticket->session.get()));
    SSL_set_session(ssl, ticket->session.get());
  }
  SSL_set_connect_state(ssl);
  return true;
}

int ServerCheck::verify(X509_STORE_CTX* store, void*) {
  const auto* ssl = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  const bool trusted = check_of(ssl).judge(store);
  X509_STORE_CTX_set_error(store, trusted ? X509_V_OK : X509_V_ERR_CERT_REJECTED);
  return trusted ? 1 : 0;
}

bool ServerCheck::judge(X509_STORE_CTX* store) {
  fingerprint_ = fingerprint_of(X509_STORE_CTX_get0_cert(store));
  auto judgement =
      trust_->state().judge(name_, fingerprint_, [store] { return ca_objection(store); });
  verdict_ = judgement.verdict;
  refusal_ = std::move(judgement.refusal);
  return verdict_ != Verdict::refused;
}

std::optional<std::string> ServerCheck::accept(SSL* ssl) {
  // Of a resumed session too: it carries the certificate of the connection that got the ticket.
  const CertificatePtr certificate(SSL_get1_peer_certificate(ssl));
  if (verdict_ == Verdict::refused || !certificate ||
      fingerprint_of(certificate.get()) != fingerprint_) {
    return "the server at " + name_ + " has not shown who it is";
  }
  auto& state = trust_->state();
  if (verdict_ == Verdict::first_use) {
    if (const auto error = state.memory->remember(name_, fingerprint_)) {
      return "the server at " + name_ + " is unknown and cannot be remembered: " + error->message +
             ". Its key is " + fingerprint_ +
             ": if that is what the server shows at its start, add #" + fingerprint_ +
             " to the URL";
    }
    verdict_ = Verdict::by_key;
    state.notice = "first connection to " + name_ + ": its key " + fingerprint_ +
                   " is now remembered in " + state.memory->path().string() +
                   "; compare it with what the server shows at its start";
  }
  if (verdict_ == Verdict::by_ca && state.memory && !std::exchange(state.ca_remembered, true)) {
    // Where that cannot be written the CA is asked all the same.
    (void)state.memory->remember_ca(name_);
  }
  accepted_ = true;
  return {};
}

int ServerCheck::keep_session(SSL* ssl, SSL_SESSION* session) {
  const ServerCheck& check = check_of(ssl);
  if (!check.accepted_) return 0;  // not taken
  check.trust_->state().put_ticket({.name = check.name_,
                                    .by_ca = check.verdict_ == Verdict::by_ca,
                                    .session = TlsSessionPtr(session)});
  return 1;
}

}  // namespace paceline
