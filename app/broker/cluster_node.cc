#include "app/broker/cluster_node.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "app/options/url.h"
#include "base/ascii.h"
#include "base/clock.h"
#include "base/random_bytes.h"
#include "pubsub/wire/control_message.h"
#include "transport/socket/address.h"

namespace qvid::app {
namespace {

// A link that is cut is noticed soon, and given up a little later than the other end does.
constexpr Duration kLinkPing = std::chrono::milliseconds(500);
constexpr Duration kLinkProbe = std::chrono::seconds(1);
constexpr Duration kLinkSilence = std::chrono::seconds(3);
constexpr Duration kLinkResume = std::chrono::milliseconds(1500);
constexpr Duration kLinkConnect = std::chrono::seconds(2);
constexpr ByteCount kLinkReassembly{16 * 1024 * 1024};

paceline::SessionConfig link_session(paceline::SessionConfig config) {
  config.ping_interval = kLinkPing;
  config.probe_interval = kLinkProbe;
  config.silence_timeout = kLinkSilence;
  config.resume_limit = kLinkResume;
  // What the other end, a broker, sends: fragments of items, and a stream for each track.
  config.limits = {.max_message = ByteCount::of(qps::kMaxPart / qps::kMaxFragments + 1024),
                   .max_reassembly = kLinkReassembly,
                   .max_streams = qps::Broker::kMaxLinkSeats + 1};
  return config;
}

}  // namespace

ClusterNode::ClusterNode(boost::asio::io_context& io, ClusterNodeOptions options,
                         qps::Broker& broker, qps::BrokerLog log)
    : io_(io),
      options_(std::move(options)),
      log_(std::move(log)),
      cluster_(options_.name,
               {.incarnation = hexadecimal(random_bytes<8>()),
                .address = options_.advertise,
                .fingerprint = options_.fingerprint,
                .secret = hexadecimal(random_bytes<16>()),
                .region = options_.region},
               broker, log_, [this] { wake(); }),
      timer_(io) {}

ClusterNode::~ClusterNode() {
  for (const auto& [node, session] : sessions_) session->close("the node stops");
}

Result<std::unique_ptr<ClusterNode>> ClusterNode::open(boost::asio::io_context& io,
                                                       ClusterNodeOptions options,
                                                       qps::Broker& broker, qps::BrokerLog log) {
  std::unique_ptr<ClusterNode> node(
      new ClusterNode(io, std::move(options), broker, std::move(log)));
  auto store = qps::NatsStore::open(
      io, node->options_.nats, [raw = node.get()](qps::StoreNews&& news) { raw->on_news(news); });
  if (!store) return store.error();
  node->store_ = *std::move(store);
  broker.set_cluster(node->cluster_);
  node->arm();
  return node;
}

void ClusterNode::on_news(const qps::StoreNews& news) {
  if (const auto* trouble = std::get_if<qps::StoreTrouble>(&news)) {
    log_("cluster: " + trouble->text);
  }
  qps::hand_to(cluster_.directory(), news, steady_now());
  wake();
}

// Soon, and once for all that happens in this turn of the loop.
void ClusterNode::wake() {
  if (std::exchange(woken_, true)) return;
  boost::asio::post(io_, [this, alive = std::weak_ptr(alive_)] {
    if (alive.expired()) return;
    woken_ = false;
    turn();
  });
}

void ClusterNode::arm() {
  timer_.after(kTurn, [this] {
    turn();
    arm();
  });
}

void ClusterNode::turn() {
  if (stopped_) return;
  cluster_.poll(steady_now());
  for (qps::DirectoryOp& op : cluster_.directory().take_ops()) store_->carry_out(std::move(op));
  for (const qps::LinkOrder& order : cluster_.take_orders()) {
    if (order.what == qps::LinkOrder::What::kDial) {
      dial(order);
      continue;
    }
    const auto session = sessions_.find(order.node);
    if (session == sessions_.end()) continue;
    if (order.what == qps::LinkOrder::What::kSay) {
      const auto sent = session->second->send(
          paceline::kFirstStream,
          qps::control_message(Payload::copy_of(std::string_view(order.text))));
      // The other end would no longer know what is wanted of it.
      if (!sent) give_up(order.node, sent.error().message);
    } else {
      session->second->close(order.text);
      sessions_.erase(session);
    }
  }
}

void ClusterNode::give_up(const std::string& node, const std::string& why) {
  log_("cluster: the node '" + node + "': " + why);
  if (const auto session = sessions_.extract(node)) session.mapped()->close(why);
  cluster_.on_link_down(node, why, steady_now());
}

void ClusterNode::dial(const qps::LinkOrder& order) {
  const auto address = paceline::parse_address(order.address, kDefaultPort);
  if (!address) return give_up(order.node, address.error().message);
  std::shared_ptr<paceline::Trust> trust;
  if (!order.fingerprint.empty()) {
    auto made = paceline::Trust::make({.fingerprint = order.fingerprint,
                                       .ca_file = {},
                                       .known_hosts = {},
                                       .first_use = paceline::FirstUse::kNever});
    if (!made) return give_up(order.node, made.error().message);
    trust = *std::move(made);
  }
  auto& session = sessions_[order.node];
  if (session) session->close("another session");
  session = paceline::Session::connect(
      io_, {.address = *address, .trust = std::move(trust), .connect_timeout = kLinkConnect},
      link_session(options_.session), [](paceline::SessionEvent&&) {});
  session->set_handler([this, alive = std::weak_ptr(alive_), node = order.node,
                        of = session.get()](paceline::SessionEvent&& event) {
    if (!alive.expired()) on_event(node, of, std::move(event));
  });
}

void ClusterNode::on_event(const std::string& node, const paceline::Session* of,
                           paceline::SessionEvent&& event) {
  const auto session = sessions_.find(node);
  if (session == sessions_.end() || session->second.get() != of) return;  // of one before
  if (std::holds_alternative<paceline::SessionEstablished>(event)) {
    cluster_.on_link_up(node);
  } else if (const auto* message = std::get_if<paceline::MessageArrived>(&event)) {
    cluster_.on_link_message(node, *message, steady_now());
  } else if (const auto* closed = std::get_if<paceline::SessionClosed>(&event)) {
    const std::string why = closed->detail;
    sessions_.erase(session);
    cluster_.on_link_down(node, why, steady_now());
  }
}

void ClusterNode::drain() { cluster_.drain(); }

void ClusterNode::stop() {
  if (std::exchange(stopped_, true)) return;
  timer_.cancel();
  for (const auto& [node, session] : std::exchange(sessions_, {})) session->close("the node stops");
  cluster_.directory().leave();
  for (qps::DirectoryOp& op : cluster_.directory().take_ops()) store_->carry_out(std::move(op));
  store_->finish(kFarewell);
  store_.reset();
}

}  // namespace qvid::app
