#include "transport/socket/proxy_header.h"

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <charconv>

namespace paceline {
namespace {

namespace ip = boost::asio::ip;

constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t kFixed = 16;      // of version 2: up to the length, with it
constexpr std::size_t kMostLine = 107;  // of version 1, with its end
constexpr std::string_view kWord = "PROXY ";
constexpr unsigned char kLocal = 0x20;
constexpr unsigned char kProxied = 0x21;
constexpr unsigned char kTcp4 = 0x11;
constexpr unsigned char kTcp6 = 0x21;

unsigned byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}
std::uint16_t number_at(std::string_view bytes, std::size_t i) {
  return static_cast<std::uint16_t>(byte_at(bytes, i) << 8 | byte_at(bytes, i + 1));
}

template <class Ip>
Ip ip_at(std::string_view bytes, std::size_t i) {
  typename Ip::bytes_type raw{};
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(i), raw.size(), raw.begin());
  return Ip(raw);
}

std::string_view take_field(std::string_view& line) {
  const auto end = std::min(line.find(' '), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

}  // namespace

std::size_t ProxyHeader::receive(std::string_view bytes) {
  std::size_t used = 0;
  while (state_ == State::reading && used < bytes.size()) {
    const std::size_t size = std::min(wanted_ - got_.size(), bytes.size() - used);
    got_ += bytes.substr(used, size);
    used += size;
    if (got_.size() == wanted_) on_more();
  }
  return used;
}

// Byte by byte until it is clear which version it is, and of a line to its end.
void ProxyHeader::on_more() {
  const auto begins = [this](std::string_view with) {
    return std::string_view(got_).substr(0, with.size()) == with.substr(0, got_.size());
  };
  if (begins(kSignature)) {
    if (got_.size() >= kFixed) return on_binary();
    wanted_ = got_.size() < kSignature.size() ? got_.size() + 1 : kFixed;
  } else if (begins(kWord)) {
    if (got_.ends_with("\r\n")) return on_line();
    if (got_.size() == kMostLine) state_ = State::failed;
    wanted_ = got_.size() + 1;
  } else {
    state_ = State::failed;
  }
}

void ProxyHeader::on_binary() {
  const std::size_t length = number_at(got_, 14);
  if (kFixed + length > kMost) {
    state_ = State::failed;
    return;
  }
  if (got_.size() < kFixed + length) {
    wanted_ = kFixed + length;
    return;
  }
  const unsigned command = byte_at(got_, 12);
  const unsigned family = byte_at(got_, 13);
  state_ = command == kLocal || command == kProxied ? State::done : State::failed;
  if (command != kProxied) return;
  if (family == kTcp4 && length >= 12) {
    client_ = Address{.host = ip_at<ip::address_v4>(got_, kFixed).to_string(),
                      .port = number_at(got_, kFixed + 8)};
  } else if (family == kTcp6 && length >= 36) {
    client_ = Address{.host = ip_at<ip::address_v6>(got_, kFixed).to_string(),
                      .port = number_at(got_, kFixed + 32)};
  } else if (family == kTcp4 || family == kTcp6) {
    state_ = State::failed;
  }
}

void ProxyHeader::on_line() {
  std::string_view line = got_;
  line.remove_prefix(kWord.size());
  line.remove_suffix(2);
  const std::string_view family = take_field(line);
  if (family == "UNKNOWN") {
    state_ = State::done;
    return;
  }
  const std::string_view from = take_field(line);
  (void)take_field(line);  // to
  const std::string_view port = take_field(line);
  boost::system::error_code error;
  const auto address = ip::make_address(std::string(from), error);
  Address client{.host = error ? std::string() : address.to_string(), .port = 0};
  const auto [end, no_number] =
      std::from_chars(port.data(), port.data() + port.size(), client.port);
  const bool good = !error && no_number == std::errc{} && end == port.data() + port.size() &&
                    family == (address.is_v4() ? "TCP4" : "TCP6") && from.find('%') == from.npos;
  state_ = good ? State::done : State::failed;
  if (good) client_ = std::move(client);
}

}  // namespace paceline
