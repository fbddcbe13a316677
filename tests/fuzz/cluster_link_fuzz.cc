// A link between two nodes of a cluster, at whose other end is whoever: a line is a message to the
// node that watches, or behind '!' one to the node that is watched; '#' and a byte before it put it on
// that stream.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "pubsub/cluster/node_link.h"
#include "tests/pubsub/fake_port.h"

namespace {

// Lets everybody in, and has nothing to tell.
class AnyCluster : public qps::ClusterPort {
 public:
  std::uint64_t claim(const std::string&, const std::string&, const std::string&,
                      qvid::Timestamp) override {
    return ++claims;
  }
  void release(const std::string&, const std::string&) override {}
  bool is_node(const qps::Link&) const override { return true; }
  void wish(const qps::FarName& who, const qps::FarWish& wish) override {
    if (link != nullptr) link->wish(who, wish);
  }
  void lock(const std::string&, const std::optional<std::set<std::string>>&) override {}
  const std::set<std::string>* let_in(const std::string&) const override { return nullptr; }
  void administer(const qps::Admin&) override {}
  nlohmann::json report(qvid::Timestamp) const override { return nlohmann::json::object(); }
  std::vector<std::string> other_nodes() const override { return {}; }

  std::uint64_t claims = 0;
  qps::NodeLink* link = nullptr;
};

qvid::Payload text_of(const qps::ToBroker& message) {
  return qvid::Payload::copy_of(std::string_view(qps::serialise(message)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  qvid::Timestamp now = qps::kBegin;
  AnyCluster cluster;
  qps::FakePort member_port;
  qps::FakePort node_port;
  qps::Broker broker;
  broker.set_cluster(cluster);
  const auto arrived = [](qvid::Payload payload, std::uint32_t stream = 0,
                          std::uint64_t position = 0) {
    return paceline::MessageArrived{.stream = paceline::StreamId(stream),
                                    .importance = {},
                                    .position = paceline::Position(position),
                                    .payload = std::move(payload)};
  };
  qps::Broker::Client* const member = broker.connect(member_port, "a member");
  broker.on_message(member, arrived(text_of(qps::Join{.room = "den", .name = "Ann", .token = {}})),
                    now);
  broker.on_claimed(cluster.claims, "", false, 1, now);
  broker.on_message(
      member,
      arrived(text_of(qps::Watch{
          .viewer = 1, .names = {}, .best = "ORDER BY joined", .seats = 4, .window = {}})),
      now);
  qps::Broker::Client* const node = broker.connect(node_port, "a node");
  broker.on_message(node, arrived(text_of(qps::Link{.node = "b", .token = "t"})), now);
  qps::NodeLink link("b", "a", broker);
  cluster.link = &link;
  link.set_rooms({"den"}, now);
  link.on_up("t");
  (void)link.on_message(arrived(qvid::Payload::copy_of(std::string_view(R"({"type":"linked"})"))),
                        now);
  for (std::uint64_t position = 0; !text.empty(); ++position) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::uint32_t stream = 0;
    if (line.size() > 1 && line[0] == '#') {
      stream = static_cast<unsigned char>(line[1]);
      line.remove_prefix(2);
    }
    const bool to_watched = line.starts_with('!');
    const auto message =
        arrived(qvid::Payload::copy_of(line.substr(to_watched ? 1 : 0)), stream, position * 1024);
    now += std::chrono::milliseconds(20);
    if (to_watched) {
      broker.on_message(node, message, now);
    } else if (link.on_message(message, now)) {
      link.on_down("wrong", now);
      break;
    }
    link.take_texts();
    broker.poll(now);
  }
  cluster.link = nullptr;
  broker.disconnect(node, "over", now);
  broker.disconnect(member, "over", now);
  return 0;
}
