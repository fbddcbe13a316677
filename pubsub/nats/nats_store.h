// The directory's store (cluster/directory.h) in NATS: a bucket of JetStream's key-value store.
// Nothing outside this folder includes NATS.
//
//   Directory --DirectoryOp--> carry_out --> [ queue ] --> threads of ops --> bucket
//             <--StoreNews---- mailbox <--------------------outcomes
//             <--StoreNews---- mailbox <-- thread of the watcher <----------- bucket
//
// The library's calls wait, so they are made on threads of this; what comes goes to the io_context.
// A connection that is lost is made again by the library, to whichever of the servers there is, or, where
// it has given up, by the watcher; then, and where nothing has come for kQuiet (of few nodes each writes every second), the watcher begins anew,
// with all that is there: a snapshot. A bucket that is gone is made anew.
//
// Bounds: ops waiting, kMaxOps, and each kAnswerLimit: then they have failed; news that the
// io_context has not taken, kMaxNews: then the watcher waits. Ownership: of its threads, which the
// destructor joins. Thread: that of the io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "pubsub/cluster/directory.h"

namespace qps {

struct NatsOptions {
  // "nats://host:4222" or "tls://...", with user:password@ or token@ before the host where it is wanted
  std::vector<std::string> servers;
  std::string credentials;  // file of a user's JWT and seed (.creds)
  std::string ca;           // PEM file; with it, or by tls://, TLS
  std::string certificate;  // PEM file, with `key`: by which the servers know this node
  std::string key;
  std::string bucket = "qvid";  // letters, digits, '-' and '_'
};

struct StoreSnapshotBegins {};
struct StoreEntry {
  std::string key;
  std::string value;
  std::uint64_t revision = 0;
};
struct StoreRemoved {
  std::string key;
  std::uint64_t revision = 0;
};
struct StoreSnapshotEnds {};
struct StoreOutcome {
  std::uint64_t op = 0;
  DirectoryOutcome outcome = DirectoryOutcome::kFailed;
  std::uint64_t revision = 0;
};
struct StoreTrouble {
  std::string text;  // for the log
};
using StoreNews = std::variant<StoreSnapshotBegins, StoreEntry, StoreRemoved, StoreSnapshotEnds,
                               StoreOutcome, StoreTrouble>;

// To the part of the directory that it is for; StoreTrouble is for nobody there.
void hand_to(Directory& directory, const StoreNews& news, qvid::Timestamp now);

class NatsStore {
 public:
  static constexpr std::size_t kMaxOps = 4096;
  static constexpr std::size_t kMaxNews = 8192;
  static constexpr std::size_t kOpThreads = 4;
  static constexpr qvid::Duration kQuiet = std::chrono::seconds(4);

  // Connects, and waits for it up to 2 s a server. The error says what is wrong, and what to do: no
  // server answers, the credentials are refused, there is no JetStream.
  static qvid::Result<std::unique_ptr<NatsStore>> open(boost::asio::io_context& io,
                                                       const NatsOptions& options,
                                                       std::function<void(StoreNews&&)> news);
  ~NatsStore();
  NatsStore(const NatsStore&) = delete;
  NatsStore& operator=(const NatsStore&) = delete;

  // A StoreOutcome of that id follows.
  void carry_out(DirectoryOp op);
  // What waits is carried out, for no longer than that; then nothing is told any more.
  void finish(qvid::Duration most);

 private:
  class Work;
  explicit NatsStore(std::unique_ptr<Work> work);
  std::unique_ptr<Work> work_;
};

}  // namespace qps
