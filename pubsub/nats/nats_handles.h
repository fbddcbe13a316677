// The library's objects as owners that destroy them, and its words for what went wrong.
#pragma once

#include <nats/nats.h>

#include <memory>
#include <string>

namespace qps {

template <class T, void (*destroy)(T*)>
struct NatsDestroyer {
  void operator()(T* object) const { destroy(object); }
};
template <class T, void (*destroy)(T*)>
using NatsHandle = std::unique_ptr<T, NatsDestroyer<T, destroy>>;

using MessageHandle = NatsHandle<natsMsg, natsMsg_Destroy>;

// Of the call that failed last on this thread, else of `status`.
inline std::string nats_cause(natsStatus status) {
  natsStatus last = NATS_OK;
  const char* const text = nats_GetLastError(&last);
  return text != nullptr && *text != '\0' ? text : natsStatus_GetText(status);
}

// Of a bucket's messages: the stream that they are in, their subjects ("$KV.<bucket>." before the
// key), and the header of one that removes its key.
inline std::string stream_of(const std::string& bucket) { return "KV_" + bucket; }
inline std::string subject_of(const std::string& bucket, const std::string& key) {
  return "$KV." + bucket + "." + key;
}
inline constexpr char kOperationHeader[] = "KV-Operation";

}  // namespace qps
