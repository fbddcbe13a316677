// What makes a datagram one of a session's, and of nobody else: ChaCha20-Poly1305 (RFC 8439), with
// keys that follow from the session's secret by HKDF-Expand (RFC 5869 section 2.3), others for each
// direction. The secret is random, and came to the client by the session's first channel: whoever
// can read that (nobody, over TLS) can read this, and nobody else. It serves for resumed sessions
// without more, which the exporter of one channel's TLS would not.
//
//   datagram := tag:8 number:4 sealed(frame*) seal:16
//
// The tag says which session and direction; it is secret until it is used, so who did not see
// traffic cannot make a server look further than its table. The number counts a direction's
// datagrams, its low 32 bits are sent (RFC 9000 appendix A.3 has the rest); all 64 are the nonce, and no
// number is used twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/wire/record.h"

struct evp_cipher_ctx_st;

namespace paceline {

enum class DatagramDirection : std::uint8_t { kToServer, kToClient };

using DatagramTag = std::array<std::byte, 8>;
inline constexpr std::size_t kDatagramHeader = 8 + 4;
inline constexpr std::size_t kDatagramSeal = 16;
inline constexpr std::size_t kDatagramAround = kDatagramHeader + kDatagramSeal;

DatagramTag datagram_tag(const SessionSecret& secret, DatagramDirection direction);
// The tag that a datagram begins with; empty: it is too short to be one.
std::optional<DatagramTag> tag_of(std::span<const std::byte> datagram);

// One direction's. Thread: one at a time.
class DatagramSeal {
 public:
  DatagramSeal(const SessionSecret& secret, DatagramDirection direction);
  ~DatagramSeal();
  DatagramSeal(const DatagramSeal&) = delete;
  DatagramSeal& operator=(const DatagramSeal&) = delete;

  // `out` becomes the datagram. Precondition: each number once.
  void seal(std::uint64_t number, std::span<const std::byte> frames, std::vector<std::byte>& out);

  // The number of a datagram that is genuine, its frames in `frames`; `next`: one above the highest
  // number so far. Empty: it is no datagram of this direction, or somebody changed it.
  std::optional<std::uint64_t> open(std::span<const std::byte> datagram, std::uint64_t next,
                                    std::vector<std::byte>& frames);

 private:
  struct FreeContext {
    void operator()(evp_cipher_ctx_st* context) const;
  };
  std::array<unsigned char, 12> nonce(std::uint64_t number) const;

  DatagramTag tag_;
  std::array<unsigned char, 12> iv_{};
  // With the key in them: setting it up costs more than a datagram.
  std::unique_ptr<evp_cipher_ctx_st, FreeContext> seals_;
  std::unique_ptr<evp_cipher_ctx_st, FreeContext> opens_;
};

}  // namespace paceline
