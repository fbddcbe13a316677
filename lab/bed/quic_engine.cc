#include "lab/bed/quic_engine.h"

#include <gnutls/crypto.h>
#include <netinet/in.h>
#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include <algorithm>
#include <stdexcept>

namespace qvid::lab {
namespace {

// Debian 12 has 0.12, Debian 13 has 1.11, with other names for the same.
#if NGTCP2_VERSION_NUM < 0x010000
using QuicCloseReason = ngtcp2_connection_close_error;
void set_close_reason(QuicCloseReason& reason) {
  ngtcp2_connection_close_error_default(&reason);
  ngtcp2_connection_close_error_set_application_error(&reason, 0, nullptr, 0);
}
int shutdown_write(ngtcp2_conn* conn, std::int64_t stream, std::uint64_t code) {
  return ngtcp2_conn_shutdown_stream_write(conn, stream, code);
}
void set_original_dcid(ngtcp2_transport_params& params, const ngtcp2_cid& dcid) {
  params.original_dcid = dcid;
}
#else
using QuicCloseReason = ngtcp2_ccerr;
void set_close_reason(QuicCloseReason& reason) {
  ngtcp2_ccerr_default(&reason);
  ngtcp2_ccerr_set_application_error(&reason, 0, nullptr, 0);
}
int shutdown_write(ngtcp2_conn* conn, std::int64_t stream, std::uint64_t code) {
  return ngtcp2_conn_shutdown_stream_write(conn, 0, stream, code);
}
void set_original_dcid(ngtcp2_transport_params& params, const ngtcp2_cid& dcid) {
  params.original_dcid = dcid;
  params.original_dcid_present = 1;
}
#endif

constexpr std::size_t kQuicCid = 8;           // bytes of a connection ID
constexpr std::uint64_t kCancelled = 1;       // the code of a stream that is reset
constexpr Duration kQuicHandshakeTime = 10s;  // ngtcp2's default
constexpr Duration kQuicIdleTime = 30s;

ngtcp2_tstamp to_quic(Timestamp at) {
  return static_cast<ngtcp2_tstamp>(at.time_since_epoch().count());
}
const std::uint8_t* to_quic(const std::byte* bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes);
}

ngtcp2_cid random_cid() {
  std::uint8_t bytes[kQuicCid];
  gnutls_rnd(GNUTLS_RND_NONCE, bytes, sizeof bytes);
  ngtcp2_cid cid;
  ngtcp2_cid_init(&cid, bytes, sizeof bytes);
  return cid;
}

void fill_random(std::uint8_t* bytes, std::size_t size, const ngtcp2_rand_ctx*) {
  gnutls_rnd(GNUTLS_RND_NONCE, bytes, size);
}
int new_cid(ngtcp2_conn*, ngtcp2_cid* cid, std::uint8_t* token, std::size_t size, void*) {
  std::uint8_t bytes[NGTCP2_MAX_CIDLEN];
  gnutls_rnd(GNUTLS_RND_NONCE, bytes, size);
  ngtcp2_cid_init(cid, bytes, size);
  gnutls_rnd(GNUTLS_RND_NONCE, token, NGTCP2_STATELESS_RESET_TOKENLEN);
  return 0;
}

ngtcp2_settings settings_at(Timestamp now) {
  ngtcp2_settings settings;
  ngtcp2_settings_default(&settings);
  settings.initial_ts = to_quic(now);
  settings.max_tx_udp_payload_size = kQuicDatagram;
  settings.no_tx_udp_payload_size_shaping = 1;
  settings.no_pmtud = 1;
  settings.handshake_timeout = static_cast<ngtcp2_duration>(kQuicHandshakeTime.count());
  return settings;
}
ngtcp2_transport_params transport_params() {
  ngtcp2_transport_params params;
  ngtcp2_transport_params_default(&params);
  params.initial_max_streams_uni = kMostQuicStreams;
  params.initial_max_stream_data_uni = kQuicWindow;
  params.initial_max_data = kQuicWindow;
  params.max_idle_timeout = static_cast<ngtcp2_duration>(kQuicIdleTime.count());
  return params;
}

}  // namespace

struct QuicEngine::Library {
  explicit Library(QuicEngine& engine) {
    ref.get_conn = [](ngtcp2_crypto_conn_ref* r) {
      return static_cast<Library*>(r->user_data)->connection;
    };
    ref.user_data = this;
    gnutls_session_set_ptr(engine.session_.get(), &ref);
    // One path, whose addresses are the shell's affair: what stands here only has to stay the same.
    near.sin_family = far.sin_family = AF_INET;
    near.sin_port = 1;
    far.sin_port = 2;
    path.local = {.addr = reinterpret_cast<ngtcp2_sockaddr*>(&near), .addrlen = sizeof near};
    path.remote = {.addr = reinterpret_cast<ngtcp2_sockaddr*>(&far), .addrlen = sizeof far};
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { ngtcp2_conn_del(connection); }

  static QuicEngine& engine_of(void* user) { return *static_cast<QuicEngine*>(user); }
  static ngtcp2_callbacks callbacks();
  // A stream of the peer has ended: another one may be opened in its place. Once each, so it is no
  // longer marked as open. This does not wait for ngtcp2 to close it: 0.12 never does, and keeps what
  // it knows of it (some 260 bytes) as long as the connection lasts.
  static void end_received(ngtcp2_conn* conn, std::int64_t stream, void* user) {
    ngtcp2_conn_set_stream_user_data(conn, stream, nullptr);
    ngtcp2_conn_extend_max_streams_uni(conn, 1);
    engine_of(user).user_.on_closed(stream);
  }

  void adopt(QuicEngine& engine, int code) {
    if (code != 0) throw std::runtime_error(std::string("no QUIC: ") + ngtcp2_strerror(code));
    ngtcp2_conn_set_tls_native_handle(connection, engine.session_.get());
  }

  ngtcp2_crypto_conn_ref ref{};
  sockaddr_in near{};
  sockaddr_in far{};
  ngtcp2_path path{};
  ngtcp2_conn* connection = nullptr;
};

ngtcp2_callbacks QuicEngine::Library::callbacks() {
  ngtcp2_callbacks c{};
  c.client_initial = ngtcp2_crypto_client_initial_cb;
  c.recv_client_initial = ngtcp2_crypto_recv_client_initial_cb;
  c.recv_crypto_data = ngtcp2_crypto_recv_crypto_data_cb;
  c.encrypt = ngtcp2_crypto_encrypt_cb;
  c.decrypt = ngtcp2_crypto_decrypt_cb;
  c.hp_mask = ngtcp2_crypto_hp_mask_cb;
  c.recv_retry = ngtcp2_crypto_recv_retry_cb;
  c.update_key = ngtcp2_crypto_update_key_cb;
  c.delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb;
  c.delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb;
  c.get_path_challenge_data = ngtcp2_crypto_get_path_challenge_data_cb;
  c.version_negotiation = ngtcp2_crypto_version_negotiation_cb;
  c.rand = fill_random;
  c.get_new_connection_id = new_cid;
  c.stream_open = [](ngtcp2_conn* conn, std::int64_t stream, void* user) {
    return ngtcp2_conn_set_stream_user_data(conn, stream, user);
  };
  c.recv_stream_data = [](ngtcp2_conn* conn, std::uint32_t flags, std::int64_t stream,
                          std::uint64_t, const std::uint8_t* data, std::size_t size, void* user,
                          void* open) {
    QuicEngine& engine = engine_of(user);
    const bool last = (flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0;
    engine.user_.on_data(stream, {reinterpret_cast<const std::byte*>(data), size}, last,
                         engine.now_);
    // Handed on at once, so there is room for as much again.
    ngtcp2_conn_extend_max_stream_offset(conn, stream, size);
    ngtcp2_conn_extend_max_offset(conn, size);
    if (last && open) end_received(conn, stream, user);
    return 0;
  };
  c.stream_reset = [](ngtcp2_conn* conn, std::int64_t stream, std::uint64_t, std::uint64_t,
                      void* user, void* open) {
    if (open) end_received(conn, stream, user);
    return 0;
  };
  c.acked_stream_data_offset = [](ngtcp2_conn*, std::int64_t stream, std::uint64_t offset,
                                  std::uint64_t size, void* user, void*) {
    QuicEngine& engine = engine_of(user);
    engine.user_.on_acked(stream, offset + size, engine.now_);
    return 0;
  };
  c.stream_close = [](ngtcp2_conn*, std::uint32_t, std::int64_t stream, std::uint64_t, void* user,
                      void*) {
    engine_of(user).user_.on_closed(stream);
    return 0;
  };
  return c;
}

QuicEngine::QuicEngine(const QuicTls& tls, QuicUser& user)
    : user_(user), session_(tls.open()), library_(std::make_unique<Library>(*this)) {}

QuicEngine::~QuicEngine() = default;

std::unique_ptr<QuicEngine> QuicEngine::connect(const QuicTls& tls, QuicUser& user,
                                                QuicCongestion congestion, Timestamp now) {
  std::unique_ptr<QuicEngine> engine(new QuicEngine(tls, user));
  Library& library = *engine->library_;
  const ngtcp2_callbacks callbacks = Library::callbacks();
  ngtcp2_settings settings = settings_at(now);
  settings.cc_algo = congestion == QuicCongestion::kBbr ? NGTCP2_CC_ALGO_BBR : NGTCP2_CC_ALGO_CUBIC;
  const ngtcp2_transport_params params = transport_params();
  const ngtcp2_cid dcid = random_cid();
  const ngtcp2_cid scid = random_cid();
  library.adopt(*engine, ngtcp2_conn_client_new(&library.connection, &dcid, &scid, &library.path,
                                                NGTCP2_PROTO_VER_V1, &callbacks, &settings, &params,
                                                nullptr, engine.get()));
  return engine;
}

std::unique_ptr<QuicEngine> QuicEngine::accept(const QuicTls& tls, QuicUser& user,
                                               std::span<const std::byte> first, Timestamp now) {
  ngtcp2_pkt_hd header;
  if (ngtcp2_accept(&header, to_quic(first.data()), first.size()) != 0) return nullptr;
  std::unique_ptr<QuicEngine> engine(new QuicEngine(tls, user));
  Library& library = *engine->library_;
  const ngtcp2_callbacks callbacks = Library::callbacks();
  const ngtcp2_settings settings = settings_at(now);
  ngtcp2_transport_params params = transport_params();
  set_original_dcid(params, header.dcid);
  const ngtcp2_cid scid = random_cid();
  library.adopt(*engine, ngtcp2_conn_server_new(&library.connection, &header.scid, &scid,
                                                &library.path, header.version, &callbacks,
                                                &settings, &params, nullptr, engine.get()));
  return engine;
}

bool QuicEngine::established() const {
  return ngtcp2_conn_get_handshake_completed(library_->connection) != 0;
}

void QuicEngine::fail(const char* doing, int code) {
  over_ = true;
  why_ = std::string("QUIC, ") + doing + ": " + ngtcp2_strerror(code);
}

void QuicEngine::read(std::span<const std::byte> datagram, Timestamp now) {
  if (over_) return;
  now_ = now;
  const int code = ngtcp2_conn_read_pkt(library_->connection, &library_->path, nullptr,
                                        to_quic(datagram.data()), datagram.size(), to_quic(now));
  if (code != 0) fail("reading", code);
}

std::size_t QuicEngine::write(std::span<std::byte> into, Timestamp now) {
  if (over_) return 0;
  now_ = now;
  user_.prepare(*this, now);
  const std::size_t room = std::min(into.size(), kQuicDatagram);
  bool more = established();  // of content
  ngtcp2_pkt_info info{};     // ECN, which is not used
  for (;;) {
    std::optional<QuicChunk> chunk;
    if (more) chunk = user_.next(now);
    std::uint32_t flags = NGTCP2_WRITE_STREAM_FLAG_NONE;
    ngtcp2_vec part{};
    if (chunk) {
      flags |= NGTCP2_WRITE_STREAM_FLAG_MORE;
      if (chunk->last) flags |= NGTCP2_WRITE_STREAM_FLAG_FIN;
      part = {.base = const_cast<std::uint8_t*>(to_quic(chunk->bytes.data())),
              .len = chunk->bytes.size()};
    }
    ngtcp2_ssize taken = -1;
    const ngtcp2_ssize size = ngtcp2_conn_writev_stream(
        library_->connection, nullptr, &info, reinterpret_cast<std::uint8_t*>(into.data()), room,
        &taken, flags, chunk ? chunk->stream : -1, &part, chunk ? 1 : 0, to_quic(now));
    if (chunk && taken > 0) user_.on_written(chunk->stream, static_cast<std::size_t>(taken), now);
    if (size == NGTCP2_ERR_WRITE_MORE) continue;
    if (size == NGTCP2_ERR_STREAM_DATA_BLOCKED) {
      more = false;  // the receiver's window is full; what else there is may go
      continue;
    }
    if (size < 0) {
      fail("writing", static_cast<int>(size));
      return 0;
    }
    return static_cast<std::size_t>(size);
  }
}

void QuicEngine::end_turn(Timestamp now) {
  if (!over_) ngtcp2_conn_update_pkt_tx_time(library_->connection, to_quic(now));
}

Timestamp QuicEngine::due() const {
  if (over_) return kNever;
  const ngtcp2_tstamp at = ngtcp2_conn_get_expiry(library_->connection);
  return at >= to_quic(kNever) ? kNever : Timestamp(Duration(static_cast<Duration::rep>(at)));
}

void QuicEngine::on_time(Timestamp now) {
  if (over_) return;
  now_ = now;
  const int code = ngtcp2_conn_handle_expiry(library_->connection, to_quic(now));
  if (code != 0) fail("waiting", code);
}

std::size_t QuicEngine::close(std::span<std::byte> into, Timestamp now) {
  if (over_) return 0;
  over_ = true;
  QuicCloseReason reason;
  set_close_reason(reason);
  ngtcp2_pkt_info info{};
  const ngtcp2_ssize size = ngtcp2_conn_write_connection_close(
      library_->connection, nullptr, &info, reinterpret_cast<std::uint8_t*>(into.data()),
      std::min(into.size(), kQuicDatagram), &reason, to_quic(now));
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

std::optional<std::int64_t> QuicEngine::open_stream() {
  std::int64_t stream = -1;
  if (ngtcp2_conn_open_uni_stream(library_->connection, &stream, nullptr) != 0) return std::nullopt;
  return stream;
}

void QuicEngine::reset_stream(std::int64_t stream) {
  const int code = shutdown_write(library_->connection, stream, kCancelled);
  if (code != 0 && code != NGTCP2_ERR_STREAM_NOT_FOUND) fail("cancelling", code);
}

}  // namespace qvid::lab
