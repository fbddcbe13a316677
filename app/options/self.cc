#include "app/options/self.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <span>

#include "app/log/log.h"
#include "app/options/transport_options.h"
#include "base/ascii.h"
#include "base/random_bytes.h"
#include "transport/tls/tls_files.h"

namespace qvid::app {
namespace {

constexpr std::size_t kSecret = 32;  // bytes, written as twice as many digits
constexpr std::size_t kShown = 16;   // bytes

std::string new_secret() { return hexadecimal(random_bytes<kSecret>()); }

Result<std::string> kept_secret(const std::filesystem::path& folder) {
  if (folder.empty()) return Error{"there is no folder for settings"};
  if (auto error = paceline::make_private_folder(folder)) return *std::move(error);
  const auto lock = paceline::FileLock::take(folder / ".self.lock");  // another may be starting too
  if (!lock) return lock.error();
  const auto file = folder / "self";
  const auto text = paceline::read_file(file);
  if (!text) return text.error();
  if (*text && (*text)->size() >= 2 * kSecret) return (*text)->substr(0, 2 * kSecret);
  std::string secret = new_secret();
  if (auto error = paceline::write_file(file, secret + "\n")) return *std::move(error);
  return secret;
}

}  // namespace

std::string self_for(const Url& room) {
  auto secret = kept_secret(settings_folder());
  if (!secret) log_debug("no lasting secret of this user: {}", secret.error().message);
  const std::string key = secret ? *std::move(secret) : new_secret();
  const std::string where = room.address.text() + "/" + room.name;
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(where.data()), where.size(), hash.data(), &size);
  return hexadecimal(std::span(hash).first(kShown));
}

}  // namespace qvid::app
