// Any text as a broker's configuration: refused with a sentence that is not too long, or every
// value within its range; and a reload to it changes what may change and nothing else.
#include <cstdint>
#include <string_view>

#include "app/broker/broker_config.h"
#include "app/options/toml_text.h"
#include "tests/fuzz/require.h"

namespace {

using qvid::fuzz::require;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid::app;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = parse_broker_config(text, "fuzz.toml");
  if (!config) {
    const std::string& why = config.error().message;
    require(why.starts_with("fuzz.toml:") && why.size() < 1000);
    for (const char c : why) require(static_cast<unsigned char>(c) >= 0x20);
    return 0;
  }
  require(!config->listen.empty() && config->listen.size() <= kMaxTomlText);
  require(config->certificate.empty() == config->key.empty());
  require(config->max_clients >= 1 && config->max_clients <= 100'000);
  require(config->max_per_address <= 100'000);
  require(config->max_members >= 1 && config->max_members <= 10'000);
  require(config->max_rooms >= 1 && config->max_rooms <= 100'000);
  require(config->max_requests >= 10 && config->max_requests <= 100'000);
  require(config->drain >= qvid::Duration::zero() && config->drain <= std::chrono::hours(1));
  const BrokerReload next = reload({}, *config);
  require(next.config.listen == BrokerConfig{}.listen && next.config.open == BrokerConfig{}.open);
  require((next.changed.empty() && next.kept.empty()) == (*config == BrokerConfig{}));
  require(reload(next.config, *config).changed.empty());
  return 0;
}
