#include "pubsub/nats/nats_store.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "pubsub/nats/bucket_watch.h"
#include "pubsub/nats/nats_handles.h"
#include "pubsub/server/mailbox.h"

namespace qps {
namespace {

using qvid::Duration;
using qvid::Error;
using qvid::Result;
using qvid::Timestamp;

constexpr std::int64_t kConnectMs = 2000;
constexpr std::int64_t kReconnectMs = 250;
constexpr std::int64_t kPingMs = 1000;
// Of the watcher, whether something else is to be done.
constexpr Duration kLook = std::chrono::milliseconds(200);
constexpr int kMostReplicas = 3;

using ConnectionHandle = NatsHandle<natsConnection, natsConnection_Destroy>;
using OptionsHandle = NatsHandle<natsOptions, natsOptions_Destroy>;
using StreamsHandle = NatsHandle<jsCtx, jsCtx_Destroy>;
using BucketHandle = NatsHandle<kvStore, kvStore_Destroy>;
using EntryHandle = NatsHandle<kvEntry, kvEntry_Destroy>;
using AckHandle = NatsHandle<jsPubAck, jsPubAck_Destroy>;
using StatisticsHandle = NatsHandle<natsStatistics, natsStatistics_Destroy>;

// In the order in which they are made; each outlives the next.
struct Connected {
  ConnectionHandle connection;
  StreamsHandle streams;
  BucketHandle bucket;

  // The library makes a connection again by itself, unless its credentials were refused twice.
  bool is_closed() const { return natsConnection_IsClosed(connection.get()); }
  std::uint64_t reconnections() const {
    natsStatistics* raw = nullptr;
    if (natsStatistics_Create(&raw) != NATS_OK) return 0;
    const StatisticsHandle statistics(raw);
    std::uint64_t times = 0;
    if (natsConnection_GetStats(connection.get(), raw) == NATS_OK) {
      natsStatistics_GetCounts(raw, nullptr, nullptr, nullptr, nullptr, &times);
    }
    return times;
  }
};

std::string servers_of(const NatsOptions& options) {
  std::string all;
  for (const std::string& server : options.servers) {
    const std::size_t scheme = server.find("://") + 3;
    const std::size_t at = server.rfind('@');  // before it is what nobody shall read
    const std::size_t host = at == std::string::npos ? scheme : at + 1;
    all += (all.empty() ? "" : ", ") + server.substr(host);
  }
  return all;
}

Error unreachable(const NatsOptions& options, natsStatus status) {
  std::string text = "NATS at " + servers_of(options) + ": " + nats_cause(status);
  if (status == NATS_NO_SERVER || status == NATS_TIMEOUT) {
    text += ": is it running, and reached from here?";
  } else if (status == NATS_CONNECTION_AUTH_FAILED || status == NATS_NOT_PERMITTED) {
    text += ": check the user, token or credentials";
  } else if (status == NATS_SSL_ERROR) {
    text += ": check the CA and certificates";
  }
  return Error{text};
}

}  // namespace

void hand_to(Directory& directory, const StoreNews& news, Timestamp now) {
  if (std::holds_alternative<StoreSnapshotBegins>(news)) {
    directory.on_snapshot_begin();
  } else if (const auto* entry = std::get_if<StoreEntry>(&news)) {
    directory.on_entry(entry->key, entry->value, entry->revision, now);
  } else if (const auto* removed = std::get_if<StoreRemoved>(&news)) {
    directory.on_removed(removed->key, removed->revision, now);
  } else if (std::holds_alternative<StoreSnapshotEnds>(news)) {
    directory.on_snapshot_end(now);
  } else if (const auto* outcome = std::get_if<StoreOutcome>(&news)) {
    directory.on_outcome(outcome->op, outcome->outcome, outcome->revision, now);
  }
}

class NatsStore::Work {
 public:
  Work(boost::asio::io_context& io, NatsOptions options, std::function<void(StoreNews&&)> news)
      : options_(std::move(options)),
        news_(io, [this, tell = std::move(news)](std::vector<StoreNews>& batch) {
          for (StoreNews& each : batch) tell(std::move(each));
          {
            const std::lock_guard lock(mutex_);
            not_taken_ -= batch.size();
          }
          taken_.notify_all();
        }) {}

  ~Work() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    news_.close();
    taken_.notify_all();
    has_ops_.notify_all();
    threads_.clear();  // joins
  }

  std::optional<Error> connect() {
    natsOptions* raw = nullptr;
    if (natsOptions_Create(&raw) != NATS_OK) return Error{"NATS: no memory"};
    const OptionsHandle handle(raw);
    if (auto wrong = set(raw)) return wrong;
    natsConnection* connection = nullptr;
    const natsStatus status = natsConnection_Connect(&connection, raw);
    if (status != NATS_OK) return unreachable(options_, status);
    auto made = std::make_shared<Connected>();
    made->connection.reset(connection);
    jsOptions js;
    jsOptions_Init(&js);
    js.Wait = Directory::kAnswerLimit / std::chrono::milliseconds(1);
    jsCtx* streams = nullptr;
    if (natsConnection_JetStream(&streams, connection, &js) != NATS_OK) {
      return Error{"NATS: no JetStream context: " + nats_cause(NATS_ERR)};
    }
    made->streams.reset(streams);
    auto bucket = open_bucket(streams);
    if (!bucket) return bucket.error();
    made->bucket = *std::move(bucket);
    const std::lock_guard lock(mutex_);
    connected_ = std::move(made);
    return std::nullopt;
  }

  void begin() {
    threads_.emplace_back([this] { watch(); });
    for (std::size_t i = 0; i < kOpThreads; ++i) {
      threads_.emplace_back([this] { run_ops(); });
    }
  }

  void carry_out(DirectoryOp op) {
    {
      const std::lock_guard lock(mutex_);
      // A node's own key is its lease: it waits behind no names, and always has room.
      const auto key = parse_key(op.key);
      const bool lease = key && std::holds_alternative<NodeKey>(*key);
      if (lease || ops_.size() < kMaxOps) {
        ops_.emplace(lease ? ops_.begin() : ops_.end(), std::move(op), qvid::steady_now());
        has_ops_.notify_one();
        return;
      }
    }
    tell(StoreOutcome{.op = op.id});
  }

  void finish(Duration most) {
    std::unique_lock lock(mutex_);
    done_.wait_for(lock, most, [this] { return ops_.empty() && under_way_ == 0; });
  }

 private:
  std::optional<Error> set(natsOptions* to) {
    std::vector<const char*> servers;
    bool tls = !options_.ca.empty() || !options_.certificate.empty();
    for (const std::string& server : options_.servers) {
      servers.push_back(server.c_str());
      tls = tls || server.starts_with("tls://");
    }
    natsStatus s = natsOptions_SetServers(to, servers.data(), static_cast<int>(servers.size()));
    const auto then = [&s](natsStatus next) {
      if (s == NATS_OK) s = next;
    };
    then(natsOptions_SetName(to, "qvid broker"));
    then(natsOptions_SetTimeout(to, kConnectMs));
    then(natsOptions_SetAllowReconnect(to, true));
    then(natsOptions_SetMaxReconnect(to, -1));
    then(natsOptions_SetReconnectWait(to, kReconnectMs));
    then(natsOptions_SetPingInterval(to, kPingMs));
    then(natsOptions_SetMaxPingsOut(to, 2));
    if (!options_.credentials.empty()) {
      then(natsOptions_SetUserCredentialsFromFiles(to, options_.credentials.c_str(), nullptr));
    }
    if (tls) then(natsOptions_SetSecure(to, true));
    if (!options_.ca.empty()) {
      then(natsOptions_LoadCATrustedCertificates(to, options_.ca.c_str()));
    }
    if (!options_.certificate.empty()) {
      then(natsOptions_LoadCertificatesChain(to, options_.certificate.c_str(),
                                             options_.key.c_str()));
    }
    if (s != NATS_OK) return Error{"NATS: " + nats_cause(s)};
    return std::nullopt;
  }

  // Replicated as far as the servers allow.
  Result<BucketHandle> open_bucket(jsCtx* streams) const {
    kvStore* bucket = nullptr;
    if (js_KeyValue(&bucket, streams, options_.bucket.c_str()) == NATS_OK) {
      return BucketHandle(bucket);
    }
    natsStatus status = NATS_ERR;
    const int most = std::min(kMostReplicas, static_cast<int>(options_.servers.size()));
    for (int replicas = most; replicas > 0; --replicas) {
      kvConfig config;
      kvConfig_Init(&config);
      config.Bucket = options_.bucket.c_str();
      config.Description = "nodes and names of a cluster of qvid brokers";
      config.History = 1;
      config.Replicas = replicas;
      status = js_CreateKeyValue(&bucket, streams, &config);
      if (status == NATS_OK) return BucketHandle(bucket);
    }
    return Error{"NATS: the bucket '" + options_.bucket +
                 "' cannot be made: " + nats_cause(status) +
                 ": does the server run with JetStream (-js), and may this user use it?"};
  }

  void tell(StoreNews news) {
    {
      const std::lock_guard lock(mutex_);
      ++not_taken_;
    }
    news_.push(std::move(news));
  }
  std::shared_ptr<Connected> connected() {
    const std::lock_guard lock(mutex_);
    return connected_;
  }
  bool stopping() {
    const std::lock_guard lock(mutex_);
    return stopping_;
  }

  void watch() {
    std::string told;  // of what is wrong, each once
    while (!stopping()) {
      std::optional<std::string> trouble;
      if (connected()->is_closed()) {
        if (const auto error = connect()) trouble = error->message;
      }
      if (!trouble) trouble = watch_once(*connected());
      if (!trouble) {
        told.clear();
      } else {
        if (*trouble != told) tell(StoreTrouble{told = *trouble});
        std::unique_lock lock(mutex_);
        taken_.wait_for(lock, std::chrono::milliseconds(kReconnectMs),
                        [this] { return stopping_; });
      }
    }
    nats_ReleaseThreadMemory();
  }

  // Until it has to begin anew; the reason where that is no news.
  std::optional<std::string> watch_once(const Connected& with) {
    const std::uint64_t before = with.reconnections();
    const auto bucket = open_bucket(with.streams.get());
    if (!bucket) return bucket.error().message;
    auto watch = BucketWatch::open(with.streams.get(), options_.bucket);
    if (!watch) return watch.error().message;
    tell(StoreSnapshotBegins{});
    bool whole = false;
    Timestamp came = qvid::steady_now();
    while (with.reconnections() == before && !stopping()) {
      if (watch->is_whole() && !std::exchange(whole, true)) tell(StoreSnapshotEnds{});
      auto change = watch->next(kLook);
      if (!change) return change.error().message;
      if (!*change) {
        if (qvid::steady_now() - came > kQuiet) return std::nullopt;
        continue;
      }
      came = qvid::steady_now();
      auto& [key, value, revision, removed] = **change;
      if (!removed) {
        tell(StoreEntry{std::move(key), std::move(value), revision});
      } else {
        tell(StoreRemoved{std::move(key), revision});
      }
      wait_for_taker();
    }
    return std::nullopt;
  }
  void wait_for_taker() {
    std::unique_lock lock(mutex_);
    taken_.wait(lock, [this] { return stopping_ || not_taken_ < kMaxNews; });
  }

  void run_ops() {
    while (true) {
      std::unique_lock lock(mutex_);
      has_ops_.wait(lock, [this] { return stopping_ || !ops_.empty(); });
      if (stopping_) break;
      const auto [op, since] = std::move(ops_.front());
      ops_.pop_front();
      ++under_way_;
      lock.unlock();
      StoreOutcome outcome{.op = op.id};
      if (qvid::steady_now() - since < Directory::kAnswerLimit) outcome = execute(op);
      tell(outcome);
      lock.lock();
      --under_way_;
      done_.notify_all();
    }
    nats_ReleaseThreadMemory();
  }

  StoreOutcome execute(const DirectoryOp& op) {
    StoreOutcome outcome{.op = op.id};
    const auto with = connected();
    kvStore* const bucket = with->bucket.get();
    const auto size = static_cast<int>(op.value.size());
    natsStatus status = NATS_ERR;
    switch (op.kind) {
      case DirectoryOp::Kind::kCreate:
        status = kvStore_Create(&outcome.revision, bucket, op.key.c_str(), op.value.data(), size);
        break;
      case DirectoryOp::Kind::kUpdate:
        status = kvStore_Update(&outcome.revision, bucket, op.key.c_str(), op.value.data(), size,
                                op.revision);
        break;
      case DirectoryOp::Kind::kRemove: status = remove(*with, op, outcome.revision); break;
    }
    if (status == NATS_OK) {
      outcome.outcome = DirectoryOutcome::kDone;
    } else if (status != NATS_TIMEOUT && is_at_another_revision(*with, op)) {
      outcome.outcome = DirectoryOutcome::kConflict;
    }
    return outcome;
  }
  // What the library has no call for: a removal of one revision alone.
  natsStatus remove(const Connected& with, const DirectoryOp& op, std::uint64_t& revision) const {
    const std::string subject = subject_of(options_.bucket, op.key);
    natsMsg* raw = nullptr;
    natsStatus status = natsMsg_Create(&raw, subject.c_str(), nullptr, nullptr, 0);
    const MessageHandle message(raw);
    if (status == NATS_OK) status = natsMsgHeader_Set(raw, kOperationHeader, "DEL");
    if (status != NATS_OK) return status;
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.ExpectLastSubjectSeq = op.revision;
    jsPubAck* ack = nullptr;
    status = js_PublishMsg(&ack, with.streams.get(), raw, &options, nullptr);
    const AckHandle handle(ack);
    if (status == NATS_OK) revision = ack->Sequence;
    return status;
  }
  static bool is_at_another_revision(const Connected& with, const DirectoryOp& op) {
    kvEntry* raw = nullptr;
    const natsStatus status = kvStore_Get(&raw, with.bucket.get(), op.key.c_str());
    const EntryHandle entry(raw);
    if (status == NATS_NOT_FOUND) return op.kind != DirectoryOp::Kind::kCreate;
    return status == NATS_OK &&
           (op.kind == DirectoryOp::Kind::kCreate || kvEntry_Revision(raw) != op.revision);
  }

  const NatsOptions options_;
  std::mutex mutex_;  // guards the next
  std::shared_ptr<Connected> connected_;
  std::condition_variable has_ops_;
  std::condition_variable done_;
  std::condition_variable taken_;
  std::deque<std::pair<DirectoryOp, Timestamp>> ops_;
  std::size_t under_way_ = 0;
  std::size_t not_taken_ = 0;
  bool stopping_ = false;
  Mailbox<StoreNews> news_;
  std::vector<std::jthread> threads_;
};

NatsStore::NatsStore(std::unique_ptr<Work> work) : work_(std::move(work)) {}
NatsStore::~NatsStore() = default;

Result<std::unique_ptr<NatsStore>> NatsStore::open(boost::asio::io_context& io,
                                                   const NatsOptions& options,
                                                   std::function<void(StoreNews&&)> news) {
  auto work = std::make_unique<Work>(io, options, std::move(news));
  if (auto wrong = work->connect()) return *std::move(wrong);
  work->begin();
  return std::unique_ptr<NatsStore>(new NatsStore(std::move(work)));
}

void NatsStore::carry_out(DirectoryOp op) { work_->carry_out(std::move(op)); }
void NatsStore::finish(Duration most) { work_->finish(most); }

}  // namespace qps
