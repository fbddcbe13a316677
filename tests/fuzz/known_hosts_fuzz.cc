// The memory of servers, as a file may hold it, and fingerprints as a person may type them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "transport/tls/tls.h"
#include "transport/tls/tls_known_hosts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& host : paceline::find_known_hosts(text, "host:7400")) {
    if (host.line == 0) std::abort();
    if (host.fingerprint.empty()) continue;
    const auto again = paceline::parse_fingerprint(host.fingerprint);
    if (!again || *again != host.fingerprint) std::abort();
  }
  const auto fingerprint = paceline::parse_fingerprint(text);
  if (!fingerprint && fingerprint.error().message.empty()) std::abort();
  return 0;
}
