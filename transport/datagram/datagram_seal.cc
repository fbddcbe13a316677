#include "transport/datagram/datagram_seal.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/byte_io.h"

namespace paceline {
namespace {

void must(bool done) {
  if (!done) throw std::runtime_error("this OpenSSL has no ChaCha20-Poly1305 or HMAC-SHA256");
}

// One block of HKDF-Expand is enough for each use; the secret is uniformly random, so there is
// nothing to extract (RFC 5869 section 3.3).
template <std::size_t N>
std::array<unsigned char, N> expand(const SessionSecret& secret, DatagramDirection direction,
                                    std::string_view what) {
  std::string info = "paceline datagram ";
  info += direction == DatagramDirection::kToServer ? "to server " : "to client ";
  info += what;
  info += '\x01';
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  must(HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
            reinterpret_cast<const unsigned char*>(info.data()), info.size(), digest.data(),
            &size) != nullptr);
  std::array<unsigned char, N> out;
  std::copy_n(digest.begin(), N, out.begin());
  return out;
}

const unsigned char* in(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

}  // namespace

void DatagramSeal::FreeContext::operator()(evp_cipher_ctx_st* context) const {
  EVP_CIPHER_CTX_free(context);
}

DatagramTag datagram_tag(const SessionSecret& secret, DatagramDirection direction) {
  const auto bytes = expand<std::tuple_size_v<DatagramTag>>(secret, direction, "tag");
  DatagramTag tag;
  std::ranges::transform(bytes, tag.begin(), [](unsigned char c) { return std::byte{c}; });
  return tag;
}

std::optional<DatagramTag> tag_of(std::span<const std::byte> datagram) {
  if (datagram.size() < kDatagramAround) return std::nullopt;
  DatagramTag tag;
  std::copy_n(datagram.begin(), tag.size(), tag.begin());
  return tag;
}

DatagramSeal::DatagramSeal(const SessionSecret& secret, DatagramDirection direction)
    : tag_(datagram_tag(secret, direction)),
      iv_(expand<12>(secret, direction, "iv")),
      seals_(EVP_CIPHER_CTX_new()),
      opens_(EVP_CIPHER_CTX_new()) {
  const auto key = expand<32>(secret, direction, "key");
  const EVP_CIPHER* cipher = EVP_chacha20_poly1305();
  must(seals_ != nullptr && opens_ != nullptr);
  must(EVP_EncryptInit_ex(seals_.get(), cipher, nullptr, key.data(), iv_.data()) == 1);
  must(EVP_DecryptInit_ex(opens_.get(), cipher, nullptr, key.data(), iv_.data()) == 1);
}

DatagramSeal::~DatagramSeal() = default;

// RFC 9001 section 5.3.
std::array<unsigned char, 12> DatagramSeal::nonce(std::uint64_t number) const {
  std::array<unsigned char, 12> nonce = iv_;
  for (std::size_t i = 0; i < 8; ++i) {
    nonce[nonce.size() - 1 - i] ^= static_cast<unsigned char>(number >> (8 * i));
  }
  return nonce;
}

void DatagramSeal::seal(std::uint64_t number, std::span<const std::byte> frames,
                        std::vector<std::byte>& out) {
  out.clear();
  out.reserve(kDatagramAround + frames.size());
  qvid::ByteWriter header(out);
  header.bytes(tag_);
  header.u32(static_cast<std::uint32_t>(number));
  out.resize(kDatagramAround + frames.size());
  const auto iv = nonce(number);
  int size = 0;
  EVP_CIPHER_CTX* c = seals_.get();
  must(EVP_EncryptInit_ex(c, nullptr, nullptr, nullptr, iv.data()) == 1);
  must(EVP_EncryptUpdate(c, nullptr, &size, raw(out.data()), kDatagramHeader) == 1);
  must(EVP_EncryptUpdate(c, raw(out.data() + kDatagramHeader), &size, in(frames),
                         static_cast<int>(frames.size())) == 1);
  must(EVP_EncryptFinal_ex(c, raw(out.data() + kDatagramHeader) + size, &size) == 1);
  must(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, kDatagramSeal,
                           out.data() + kDatagramHeader + frames.size()) == 1);
}

std::optional<std::uint64_t> DatagramSeal::open(std::span<const std::byte> datagram,
                                                std::uint64_t next,
                                                std::vector<std::byte>& frames) {
  const auto tag = tag_of(datagram);
  if (!tag || *tag != tag_) return std::nullopt;
  qvid::ByteReader header(datagram.subspan(tag->size()));
  const std::uint64_t low = header.u32();
  // The one nearest to what is expected.
  constexpr std::uint64_t kWindow = std::uint64_t{1} << 32;
  std::uint64_t number = (next & ~(kWindow - 1)) | low;
  if (number + kWindow / 2 <= next) {
    number += kWindow;
  } else if (number > next + kWindow / 2 && number >= kWindow) {
    number -= kWindow;
  }
  const std::size_t size = datagram.size() - kDatagramAround;
  frames.resize(size);
  const auto iv = nonce(number);
  std::array<unsigned char, kDatagramSeal> expected;
  std::copy_n(in(datagram.last(kDatagramSeal)), expected.size(), expected.begin());
  int done = 0;
  EVP_CIPHER_CTX* c = opens_.get();
  must(EVP_DecryptInit_ex(c, nullptr, nullptr, nullptr, iv.data()) == 1);
  must(EVP_DecryptUpdate(c, nullptr, &done, in(datagram), kDatagramHeader) == 1);
  if (EVP_DecryptUpdate(c, raw(frames.data()), &done, in(datagram.subspan(kDatagramHeader)),
                        static_cast<int>(size)) != 1) {
    return std::nullopt;
  }
  must(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, kDatagramSeal, expected.data()) == 1);
  unsigned char nothing = 0;
  if (EVP_DecryptFinal_ex(c, &nothing, &done) != 1) return std::nullopt;
  return number;
}

}  // namespace paceline
