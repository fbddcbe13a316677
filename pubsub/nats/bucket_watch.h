// What is in a bucket of JetStream's key-value store, and then each change, in the order of the
// store:
//
//   open --> all that is there, by revision --> is_whole --> changes
//
// A subscription of its own on the bucket's stream, and not the library's watcher (kvWatcher): that
// one's consumer is ordered, which libnats 3.4 makes anew on a thread of its own when the connection
// comes back, and frees meanwhile what the owner of the watcher still uses. This one is never made
// anew behind its owner's back. Whether it has missed anything is seen by the consumer's sequence:
// then next fails, and the owner opens another one, which begins with all that is there.
//
// Bound: what the server sends ahead, by flow control and the library's limits of a subscription
// (65,536 messages, 64 MiB); beyond it next fails. Ownership: the subscription; the context outlives
// it. Thread: one at a time; the calls wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/units.h"
#include "pubsub/nats/nats_handles.h"

namespace qps {

struct BucketChange {
  std::string key;
  std::string value;           // empty where it is longer than kMaxEntryText
  std::uint64_t revision = 0;  // of the whole bucket: grows with each change
  bool removed = false;        // then without a value
};

class BucketWatch {
 public:
  // Waits as long as `streams` lets a call wait. The error: no answer, or no such bucket.
  static qvid::Result<BucketWatch> open(jsCtx* streams, const std::string& bucket);

  // Waits up to `most`, at least a millisecond; none: nothing has come. After an error nothing comes
  // any more: a change is missing, or the connection is closed.
  qvid::Result<std::optional<BucketChange>> next(qvid::Duration most);
  // All that was there when it was opened has been told.
  bool is_whole() const { return whole_; }

 private:
  using Subscription = NatsHandle<natsSubscription, natsSubscription_Destroy>;

  BucketWatch(const std::string& bucket, Subscription subscription, std::uint64_t there)
      : prefix_size_(subject_of(bucket, "").size()),
        subscription_(std::move(subscription)),
        there_(there),
        whole_(there == 0) {}

  std::size_t prefix_size_;  // of a subject: the key follows
  Subscription subscription_;
  std::uint64_t there_;  // messages when it was opened
  std::uint64_t received_ = 0;
  bool whole_;
};

}  // namespace qps
