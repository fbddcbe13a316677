// What `qvid broker --config FILE` is told: a file in TOML, docs/broker.toml with every key and its
// default. Read at the start, and again on SIGHUP.
//
//   file --parse--> BrokerConfig --options of the command line over it--> what runs
//
// There are no tables. Every key is known, typed and ranged: anything else is an error that names the
// file, the line and what to write instead. Bounds: those of app/options/toml_text.h.
//
// Pure but for read_broker_config. Thread: any.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "pubsub/server/broker_server.h"

namespace qvid::app {

inline constexpr std::uint16_t kDefaultMetricsPort = 9464;

struct BrokerConfig {
  std::string listen = "127.0.0.1:7400";
  bool open = false;
  std::string certificate;  // PEM file; empty: one is made. With `key` or not at all
  std::string key;
  std::string token_key;  // file or folder of the keys that tokens are checked with; empty: none
  std::string token_audience;  // this broker's name in tokens; empty: it has none
  std::string token_revoked;   // file of those called back; empty: there is none
  // What becomes of members whom their token would not let in any more, when these are read again.
  std::string token_reload = "close";  // or "keep"
  bool local_admin = false;            // BrokerOptions::local_admin
  std::string metrics;                 // address of the second port; empty: none
  std::string hook;          // http://host:port/path of who is told what happens; empty: nobody
  std::string health_from;   // networks that see /health on the first one; empty: this machine
  std::string link_picture;  // address of what messengers show beside links; empty: nothing
  std::size_t threads = 0;   // 0: as many as there are cores; 1: all on one

  std::size_t max_clients = qps::BrokerServerOptions{}.max_clients;
  std::size_t max_per_address = qps::BrokerServerOptions{}.max_per_address;  // not loopback's
  std::size_t max_members = qps::BrokerOptions{}.max_members;
  std::size_t max_rooms = qps::BrokerOptions{}.max_rooms;
  std::size_t max_requests = static_cast<std::size_t>(qps::BrokerOptions{}.max_requests);
  std::size_t max_memory_mb = 1024;  // MiB, of messages, of all clients together
  std::size_t max_measuring = qps::BrokerOptions{}.max_measuring;
  bool chat = qps::BrokerOptions{}.chat;
  std::size_t chat_kept = qps::BrokerOptions{}.chat_kept;  // messages of a room
  Duration drain = std::chrono::seconds(2);                // 0..1 h
  std::string cluster;              // servers of NATS, with commas between; empty: it is alone
  std::string name;                 // in the cluster
  std::string region;               // empty: none
  std::string advertise;            // host:port by which it is reached; empty: as `listen`
  std::string cluster_credentials;  // file of NATS; empty: what the servers' URLs say
  std::string cluster_ca;           // PEM file; empty: the system's
  std::string cluster_certificate;  // PEM file, with `cluster_key`
  std::string cluster_key;
  std::string log_level = "info";  // debug, info, warning or error
  std::string log_form = "text";   // or json

  std::size_t thread_count() const;  // what `threads` comes to on this machine
  bool operator==(const BrokerConfig&) const = default;
};

// `file` is for the errors.
Result<BrokerConfig> parse_broker_config(std::string_view text, const std::string& file);
Result<BrokerConfig> read_broker_config(const std::string& file);

// All keys that a file may have.
std::vector<std::string_view> broker_config_keys();

// What a running broker does with a file that it reads again: takes what may change, keeps the
// rest. `config` is what runs from then on.
struct BrokerReload {
  BrokerConfig config;
  std::vector<std::string_view> changed;  // keys
  std::vector<std::string_view> kept;     // keys that differ and change only with a restart
};
BrokerReload reload(const BrokerConfig& running, const BrokerConfig& wanted);

}  // namespace qvid::app
