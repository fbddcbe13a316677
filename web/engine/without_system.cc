// What a browser does not give, in the place of the files of the product that ask a system for it:
// TCP's own view of a socket, UDP, OpenSSL, utf8proc.
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "pubsub/wire/control_values.h"
#include "transport/datagram/datagram_seal.h"
#include "transport/socket/datagram_socket.h"
#include "transport/socket/socket_info.h"
#include "transport/wire/keyed_hash.h"
#include "transport/wire/same_secret.h"
#include "web/engine/browser.h"
#include "web/engine/sha256.h"

// NOLINTBEGIN(readability-convert-member-functions-to-static): as the product has them

struct evp_cipher_ctx_st {};

namespace paceline {

// The controllers go by acknowledgements alone.
std::optional<SocketSample> sample_socket(int) { return std::nullopt; }
std::string prepare_socket(int, bool) { return {}; }
std::string choose_congestion_control(int, bool) { return {}; }

// Sessions here never ask for datagrams (Datagrams::kNever).
qvid::Result<std::unique_ptr<DatagramSocket>> DatagramSocket::connect(boost::asio::io_context&,
                                                                      const Address&, OnDatagram) {
  return qvid::Error{"a browser has no UDP"};
}
void DatagramSocket::send(const DatagramBatch&) {}

DatagramTag datagram_tag(const SessionSecret&, DatagramDirection) { return {}; }
std::optional<DatagramTag> tag_of(std::span<const std::byte>) { return std::nullopt; }
DatagramSeal::DatagramSeal(const SessionSecret&, DatagramDirection) {}
DatagramSeal::~DatagramSeal() = default;
void DatagramSeal::FreeContext::operator()(evp_cipher_ctx_st*) const {}
void DatagramSeal::seal(std::uint64_t, std::span<const std::byte>, std::vector<std::byte>& out) {
  out.clear();
}
std::optional<std::uint64_t> DatagramSeal::open(std::span<const std::byte>, std::uint64_t,
                                                std::vector<std::byte>&) {
  return std::nullopt;
}

KeyedHash hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> text) {
  return qvid::web::hmac_sha256(key, text);
}

// From crypto.getRandomValues.
void fill_random(std::span<std::byte> bytes) {
  if (getentropy(bytes.data(), bytes.size()) != 0) {
    throw std::runtime_error("the browser has no random numbers");
  }
}

bool same_secret(std::string_view shown, std::string_view wanted) {
  if (shown.size() != wanted.size()) return false;
  volatile unsigned difference = 0;  // every byte counts, whatever the compiler thinks
  for (std::size_t i = 0; i < shown.size(); ++i) {
    difference = difference | static_cast<unsigned char>(shown[i] ^ wanted[i]);
  }
  return difference == 0;
}

}  // namespace paceline

// NOLINTEND(readability-convert-member-functions-to-static)

namespace qps {

std::string name_form(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, is_ascii)) return std::string(text);
  std::string form(text.size() * 3, '\0');  // the most that NFC makes of UTF-8
  const int size = qvid_js_name_form(text.data(), static_cast<int>(text.size()), form.data(),
                                     static_cast<int>(form.size()));
  if (size < 0 || static_cast<std::size_t>(size) > form.size()) return std::string(text);
  form.resize(static_cast<std::size_t>(size));
  return form;
}

}  // namespace qps
