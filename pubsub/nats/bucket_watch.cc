#include "pubsub/nats/bucket_watch.h"

#include <chrono>
#include <utility>

#include "pubsub/cluster/directory_entry.h"

namespace qps {
namespace {

using qvid::Duration;
using qvid::Error;
using qvid::Result;

using ConsumerHandle = NatsHandle<jsConsumerInfo, jsConsumerInfo_Destroy>;
using MetaHandle = NatsHandle<jsMsgMetaData, jsMsgMetaData_Destroy>;

// Flow control wants one; who watches is told nothing by it.
constexpr std::chrono::nanoseconds kHeartbeat = std::chrono::seconds(5);

natsStatus subscribe(jsCtx* streams, const std::string& bucket, natsSubscription*& to) {
  const std::string stream = stream_of(bucket);
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = stream.c_str();
  options.Config.DeliverPolicy = js_DeliverLastPerSubject;
  options.Config.AckPolicy = js_AckNone;
  options.Config.FlowControl = true;
  options.Config.Heartbeat = kHeartbeat.count();
  return js_SubscribeSync(&to, streams, subject_of(bucket, ">").c_str(), nullptr, &options,
                          nullptr);
}

}  // namespace

Result<BucketWatch> BucketWatch::open(jsCtx* streams, const std::string& bucket) {
  natsSubscription* made = nullptr;
  natsStatus status = subscribe(streams, bucket, made);
  Subscription subscription(made);
  jsConsumerInfo* found = nullptr;
  if (status == NATS_OK) {
    status = natsSubscription_GetConsumerInfo(&found, made, nullptr, nullptr);
  }
  const ConsumerHandle consumer(found);
  if (status != NATS_OK) {
    return Error{"NATS: the bucket '" + bucket + "' cannot be watched: " + nats_cause(status)};
  }
  return BucketWatch(bucket, std::move(subscription),
                     found->Delivered.Consumer + found->NumPending);
}

Result<std::optional<BucketChange>> BucketWatch::next(Duration most) {
  natsMsg* came = nullptr;
  natsStatus status =
      natsSubscription_NextMsg(&came, subscription_.get(), most / std::chrono::milliseconds(1));
  const MessageHandle message(came);
  if (status == NATS_TIMEOUT) return std::optional<BucketChange>();
  jsMsgMetaData* about = nullptr;
  if (status == NATS_OK) status = natsMsg_GetMetaData(&about, came);
  const MetaHandle meta(about);
  if (status != NATS_OK) {
    return Error{"NATS: the bucket is watched no longer: " + nats_cause(status)};
  }
  if (about->Sequence.Consumer != ++received_) {
    return Error{"NATS: a change of the bucket is missing"};
  }
  // By both: the server may count wrongly what is overwritten while it tells what was there.
  whole_ = whole_ || received_ >= there_ || about->NumPending == 0;

  BucketChange change;
  change.key = std::string(natsMsg_GetSubject(came)).substr(prefix_size_);
  change.revision = about->Sequence.Stream;
  const char* operation = nullptr;
  change.removed = natsMsgHeader_Get(came, kOperationHeader, &operation) == NATS_OK;
  const auto size = static_cast<std::size_t>(natsMsg_GetDataLength(came));
  // What is longer is no entry, whatever it begins with, and is not kept in a queue.
  if (!change.removed && size > 0 && size <= kMaxEntryText) {
    change.value.assign(natsMsg_GetData(came), size);
  }
  return std::optional(std::move(change));
}

}  // namespace qps
