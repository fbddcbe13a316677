// One end of the datagrams between a session's two ends: no socket, no clock. docs/protocol.md has
// the bytes, docs/sessions.md the whole.
//
// TCP is first, and stays: the session's first channel brings the secret that the seals are made of.
// Then the client sends a datagram to where its TCP goes; what answers is the path. Each end proves
// the other's address before it sends content there (a challenge that only who is there reads, RFC
// 9000 section 8.2), anew when datagrams come from elsewhere: a NAT that forgot, a phone that moved.
// To who has not answered yet, a server sends an answer and a challenge at most, neither longer than
// what came from there.
//
//   no address   a server that has not heard
//   probing      a challenge is on its way, again and again: after 100 ms or a round trip, then twice as
//                long each time, to 30 s. A path that opens and fails within 2 s goes on from there
//   open         content may go; what arrives is acknowledged at once
//
// Five or more are unanswered, and nothing was acknowledged for two time-outs, 120 ms at the least: the
// path has failed (take_left), what was on its way goes over TCP, and probing begins. Where the path was
// open for 2 s it is expected back (returning): challenges are short, and 25 ms or half a round trip apart for 5 s, at both ends, between the
// addresses that are proved. A challenge goes in the same datagram as an answer where one goes. An answer opens it, as ever, or
// an acknowledgement of what was on its way when it failed, which waited in somebody's queue; what
// else comes from there says nothing of the other direction. Only then, or at once where it was not
// open for so long, a client shall try from another port (take_wants_port): this host, or a NAT, may
// have another address. A path that loses every seventh datagram (over a second; at once where it is
// every other one), or on which round trips are far
// longer than over TCP at the same time, is left alone for 10 s, next time twice as long, to 160 s:
// somebody limits datagrams, or drops them so that TCP knows better how to live with it. A larger
// datagram is tried once the path is open (RFC 8899), and taken if it arrives.
//
// Where datagrams are lost, small urgent messages go once more; beside a competitor, which fills the queue until
// something is lost, so does what matters most and could not be repaired in time (outgoing_datagrams.h). And there,
// or where they are lost by chance, a parity goes behind four and more with content, alone in its datagram, once
// nothing waits behind them, and a moment apart: what one of them brought is there without a repair (parity.h). The
// peer tells what it restored, so that it is not sent again; whether it is lost is found out as ever, since it may
// only be late. What this end loses in a queue that
// it has filled itself is no chance: parities on top of it would keep it full. (On 0.3 Mbit/s with a queue
// of 100 ms there were 0.3 or 3 % of losses, and 41.7 or 39.8 dB, as it happened to begin: g2g, S8.)
//
// Pure. Thread: one at a time. Queues: OutgoingDatagrams, SentDatagrams, FragmentAssembly have their
// bounds; one response, one challenge and one acknowledgement wait at the most.
#pragma once

#include <optional>
#include <vector>

#include "transport/datagram/datagram_seal.h"
#include "transport/datagram/fragment_assembly.h"
#include "transport/datagram/outgoing_datagrams.h"
#include "transport/datagram/packet_window.h"
#include "transport/datagram/parity.h"
#include "transport/datagram/sent_datagrams.h"
#include "transport/datagram/unguessable.h"
#include "transport/wire/path_address.h"

namespace paceline {

class DatagramPath {
 public:
  // Bytes of UDP's payload: what passes everywhere (RFC 9000 section 14), and what fills a packet of
  // 1500 bytes with IPv6.
  static constexpr std::size_t kSmallest = 1200;
  static constexpr std::size_t kLargest = 1452;

  DatagramPath(const SessionSecret& secret, DatagramDirection sends, const Unguessable::Key& key);

  // A client's: where its TCP goes.
  void go_to(const PathAddress& peer, Timestamp now);
  // Content may go this way: the path is open, and nobody limits it.
  bool usable(Timestamp now) const { return open_ && now >= spared_until_; }
  bool open() const { return open_; }
  // Where the peer is: a server's has proved it. Empty: nobody has.
  const std::optional<PathAddress>& peer() const { return to_; }
  // A round trip over TCP, just now: a queue that both share is in it, too.
  void on_tcp_rtt(Duration rtt, Timestamp now);
  // Who does not steer by delay makes losses and round trips, or a competitor does: they say nothing of the path.
  void set_competing(bool on) { competing_ = on; }
  // Bytes of content, as much as goes at once: a datagram has no more, but for copies.
  void set_chunk(ByteCount chunk) { chunk_ = static_cast<std::size_t>(chunk.value()); }
  // When parities go, and copies of messages (outgoing_datagrams.h).
  enum class Protection : std::uint8_t {
    kWhereLost,  // by what was lost of late
    kAll,        // something will be lost: before anything is
    kUrgent      // of what is urgent; of the rest copies and parities would be most of what goes
  };
  void protect(Protection protection) {
    if (std::exchange(protection_, protection) != protection) follow_losses();
  }
  // What the other end takes.
  void use(const Features& peer) {
    parity_known_ = peer.parity;
    short_fragments_ = peer.short_fragments;
  }
  // Since this was last asked the path has failed, or is left alone for what it loses: what is in
  // outgoing() goes another way.
  bool take_left() { return std::exchange(left_, false); }
  // A client's: nothing is to be hoped for from the port that it sends from.
  bool take_wants_port() { return std::exchange(wants_port_, false); }

  OutgoingDatagrams& outgoing() { return outgoing_; }
  const OutgoingDatagrams& outgoing() const { return outgoing_; }
  void hold_at_most(ByteCount bytes) { assembly_.hold_at_most(bytes); }

  // Bytes on the line: what goes twice, parities and headers, too.
  ByteCount under_way() const { return sent_.under_way(); }
  // Of these, of content: parts, repairs, copies, parities. What is lost is on the way no more.
  ByteCount content_under_way() const { return sent_.content_under_way(); }

  // What a datagram brought.
  struct News {
    std::vector<FragmentAssembly::Whole> messages;
    std::vector<std::uint64_t> delivered;  // numbers of messages of this end
    ByteCount acked;                       // of this end's content
    ByteCount acked_on_line;               // what arrived of this end's, as it was on the line
    Duration rtt{};                        // zero: no sample
    bool any_acked = false;
    bool lost = false;            // something of this end was lost
    bool opened = false;          // content may go this way from now on
    const char* wrong = nullptr;  // the peer breaks the rules: the session ends
    void clear() { *this = {}; }
  };
  // False: it is not of this session, or came before.
  bool receive(const PathAddress& from, std::span<const std::byte> datagram, Timestamp now,
               News& news);

  struct Written {
    PathAddress to;
    ByteCount content{};  // bytes: parts, repairs, copies, parities
    ByteCount again{};    // of these, all but parts that go for the first time
    ByteCount on_line{};  // all of the datagram, with its headers
  };
  // A message of so many bytes has room in the next datagram, whole, with what waits. Not where parities
  // go: of few large datagrams none is of four within a round trip.
  bool has_room(std::size_t bytes) const;
  // For so long behind its loss a parity may be told to have restored what a datagram brought; zero: none goes.
  Duration doubt() const {
    return parity_known_ && (by_chance_ || protection_ != Protection::kWhereLost) ? kDoubt
                                                                                  : Duration();
  }
  // The next datagram; `content`: what was not sent yet may be. Empty: there is nothing to send.
  std::optional<Written> produce(std::vector<std::byte>& datagram, bool content, Timestamp now);

  Timestamp next_timer() const;
  // True: something of this end was lost.
  bool on_timer(Timestamp now);

  const RttEstimator& rtt() const { return sent_.rtt(); }
  std::uint64_t datagrams_lost() const { return lost_; }

 private:
  // Four with content, of a voice and a few pictures, and the parity behind them.
  static constexpr Duration kDoubt = std::chrono::milliseconds(150);

  struct Answer {
    PathAddress to;
    std::uint64_t token = 0;
    std::size_t size = 0;  // of the datagram
  };
  void on_peer_at(const PathAddress& from, std::size_t size, Timestamp now);
  void challenge(const PathAddress& to, std::size_t size, Timestamp now);
  void write_challenge(Timestamp now);
  void challenge_again_later(Timestamp now);
  void on_response(const PathAddress& from, std::uint64_t token, Timestamp now, News& news);
  void open_up(Timestamp now, News& news);
  bool returning() const { return challenge_ && challenge_->returning; }
  void on_ack(const DatagramAck& ack, Timestamp now, News& news);
  void on_fragment(const Fragment& fragment, News& news);
  void on_parity(const Parity& parity, Timestamp now, News& news);
  void on_restored(std::uint64_t number, News& news);
  void on_pieces(const SentDatagrams::Datagram& datagram, News& news);
  bool covers() const {
    const bool where_lost = protection_ == Protection::kWhereLost && by_chance_;
    return parity_known_ && (where_lost || protection_ == Protection::kAll);
  }
  std::size_t fits() const;
  std::size_t most_frames(std::size_t taken) const;
  bool parity_is_due(Timestamp now);
  Timestamp parity_at() const;
  void write_acks();
  bool find_lost(Timestamp now);
  void count(std::uint64_t arrived, std::uint64_t lost, Timestamp now);
  void watch_losses(std::uint64_t arrived, std::uint64_t lost);
  void follow_losses();
  void spare(Timestamp now);
  void fail(Timestamp now);
  void close_up(std::size_t least, SentDatagrams::Datagram sent, std::vector<std::byte>& datagram);
  // Gives how many bytes of content go for the first time.
  ByteCount write_pieces(SentDatagrams::Datagram& sent, bool content, Timestamp now);
  void write_newest(const SentDatagrams::Datagram& sent, bool last);
  void send_again(const SentDatagrams::Datagram& datagram);
  Timestamp keep_alive_at() const;

  DatagramSeal seals_;
  DatagramSeal opens_;
  Unguessable numbers_;
  const bool client_;

  // Where.
  std::optional<PathAddress> to_;  // proved, or a client's to be proved
  bool open_ = false;
  bool left_ = false;
  bool wants_port_ = false;
  Timestamp opened_at_{};
  std::optional<Answer> answer_;
  struct Challenge {
    PathAddress to;
    std::uint64_t token = 0;
    Timestamp again_at;  // kNever: not until something comes from there
    Duration wait;
    Timestamp began;
    Timestamp sent{};
    std::size_t size = 0;  // of the datagram
    bool due = true;
    bool returning = false;
  };
  std::optional<Challenge> challenge_;
  Duration backoff_{};  // before the first challenge, behind a path that failed soon
  std::size_t size_ = kSmallest;
  std::size_t chunk_ = kLargest;
  int size_probes_ = 0;  // left
  Timestamp size_probe_at_ = qvid::kNever;

  // What comes.
  PacketWindow came_;
  bool ack_due_ = false;
  FragmentAssembly assembly_;
  ParityTaker parities_;
  std::vector<std::uint64_t> restored_;  // to be told with the next acknowledgement

  // What goes.
  OutgoingDatagrams outgoing_;
  SentDatagrams sent_;
  bool parity_known_ = false;
  bool short_fragments_ = false;
  ParityMaker parity_;
  int skip_after_ = 0;  // datagrams that ask, until the next number that is not used
  bool ping_due_ = false;
  Timestamp last_asked_{};    // when something that asks was sent last
  Timestamp last_content_{};  // came, or went
  std::uint64_t lost_ = 0;

  // How lossy it is.
  std::uint64_t counted_ = 0;
  std::uint64_t counted_lost_ = 0;
  std::uint64_t watched_ = 0;
  std::uint64_t watched_lost_ = 0;
  std::uint64_t watched_chance_ = 0;  // of these
  bool lossy_ = false;
  bool by_chance_ = false;
  Timestamp counted_from_{};
  Timestamp spared_until_{};
  Duration spare_{};
  Protection protection_ = Protection::kWhereLost;
  bool competing_ = false;
  Timestamp compared_at_{};
  int slower_ = 0;  // round trips over TCP in a row that were far shorter

  std::vector<std::byte> frames_;
};

}  // namespace paceline
