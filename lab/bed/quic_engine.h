// One end of a QUIC connection (RFC 9000, by ngtcp2): datagrams and `now` go in, datagrams come out.
// No socket, thread or clock is inside. What it carries are unidirectional streams from client to
// server; what these are is the affair of its user.
//
// Bounded: at most kMostQuicStreams are open at a time, with kQuicWindow bytes that the receiver has
// not been handed yet; what exceeds this waits at the sender.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/units.h"
#include "lab/bed/quic_tls.h"

namespace qvid::lab {

class QuicEngine;

inline constexpr std::uint64_t kMostQuicStreams = 4096;
inline constexpr std::uint64_t kQuicWindow = 16 << 20;  // bytes, of a stream and of all
// Bytes of UDP payload, ngtcp2's own choice. The lab's links carry packets of 1500 bytes, so the path
// is not probed.
inline constexpr std::size_t kQuicDatagram = 1452;

enum class QuicCongestion : std::uint8_t { kCubic, kBbr };

// A part of a stream. The bytes stay where they are until the stream is closed: ngtcp2 sends them
// again from there.
struct QuicChunk {
  std::int64_t stream = -1;
  std::span<const std::byte> bytes{};
  bool last = false;  // ends the stream
};

// What stands above an engine, which it may call within prepare() alone.
class QuicUser {
 public:
  QuicUser() = default;
  QuicUser(const QuicUser&) = delete;
  QuicUser& operator=(const QuicUser&) = delete;
  virtual ~QuicUser() = default;

  virtual void prepare(QuicEngine& /*engine*/, Timestamp /*now*/) {}  // before each datagram
  // What to send now, if anything; asked again until the datagram is full.
  virtual std::optional<QuicChunk> next(Timestamp /*now*/) { return std::nullopt; }
  virtual void on_written(std::int64_t /*stream*/, std::size_t /*bytes*/, Timestamp /*now*/) {}
  // The peer has the first `total` bytes.
  virtual void on_acked(std::int64_t /*stream*/, std::uint64_t /*total*/, Timestamp /*now*/) {}
  virtual void on_data(std::int64_t /*stream*/, std::span<const std::byte> /*bytes*/, bool /*last*/,
                       Timestamp /*now*/) {}
  // Over: sent and acknowledged, received, or reset. May be told twice.
  virtual void on_closed(std::int64_t /*stream*/) {}
};

class QuicEngine {
 public:
  // Both throw std::runtime_error where ngtcp2 or GnuTLS refuses. `tls` and `user` outlive it.
  static std::unique_ptr<QuicEngine> connect(const QuicTls& tls, QuicUser& user,
                                             QuicCongestion congestion, Timestamp now);
  // Of a client's first datagram, which is to be read() then; null: it is none.
  static std::unique_ptr<QuicEngine> accept(const QuicTls& tls, QuicUser& user,
                                            std::span<const std::byte> first, Timestamp now);
  QuicEngine(const QuicEngine&) = delete;
  QuicEngine& operator=(const QuicEngine&) = delete;
  ~QuicEngine();

  bool established() const;
  bool over() const { return over_; }
  const std::string& why() const { return why_; }  // it is over, where nobody asked for it

  void read(std::span<const std::byte> datagram, Timestamp now);
  // The next datagram, of at most kQuicDatagram bytes, which `into` has room for. 0: nothing may be
  // sent now.
  std::size_t write(std::span<std::byte> into, Timestamp now);
  // After the datagrams of a turn: the pace of those to come.
  void end_turn(Timestamp now);
  // When on_time() and write() are due, whatever comes.
  Timestamp due() const;
  void on_time(Timestamp now);
  // The last datagram; 0: there is nobody to tell.
  std::size_t close(std::span<std::byte> into, Timestamp now);

  std::optional<std::int64_t> open_stream();  // nothing: as many are open as may be
  // Gives a stream up: what is not sent is not sent any more, what is lost is not sent again.
  void reset_stream(std::int64_t stream);

 private:
  struct Library;  // what is ngtcp2's
  QuicEngine(const QuicTls& tls, QuicUser& user);
  void fail(const char* doing, int code);

  QuicUser& user_;
  QuicTlsSession session_;
  std::unique_ptr<Library> library_;  // before the session it uses is gone
  Timestamp now_{};                   // of the turn
  bool over_ = false;
  std::string why_;
};

}  // namespace qvid::lab
