// What the seats of a viewer of pictures show: a reception each, and at a switch two.
//
//   show(B) while A plays: A goes on with what it has --> B's first picture: A ends
//
// So a seat never stands still for B's delay. A picture of one that a newer one has taken the seat
// of is not shown. Bounds: two playbacks a seat, and those left since the last tidy(); kMostSeen
// names in the report.
//
// Thread: show, clear, on_message and tidy one; add_to any; pictures come on decode threads, until
// the destructor returns.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/reception/live_reception.h"
#include "app/reception/presentation_clocks.h"
#include "app/room/party_report.h"
#include "base/payload.h"
#include "base/units.h"
#include "pubsub/wire/control.h"

namespace qvid::app {

class SeatPlaybacks {
 public:
  static constexpr std::size_t kMostSeen = 256;  // names; later ones are left out

  // A picture of a seat, and whose; on a decode thread.
  using OnPicture = std::function<void(int seat, const std::string& name, media::ShownPicture)>;

  // `what` it shows, for the log: "seat". `window`: frames, of each of the two ways. `decoders`: of
  // each playback one. `clocks`: of the members, whose sound leads; outlives this.
  SeatPlaybacks(const char* what, int window, media::PlayoutMode playout,
                media::DecoderMaker decoders, PresentationClocks& clocks, OnPicture on_picture);
  ~SeatPlaybacks();
  SeatPlaybacks(const SeatPlaybacks&) = delete;
  SeatPlaybacks& operator=(const SeatPlaybacks&) = delete;

  // That seat shows somebody else from now on, or, where the name is empty, nobody.
  void show(const qps::Seat& seat);
  // No seat shows anybody.
  void clear();
  void on_message(int seat, std::uint64_t position, const Payload& data, Timestamp now);
  // Ends those that have left; call it now and then.
  void tidy();

  // Of those that seats show now.
  std::int64_t decode_errors() const;
  Duration held() const;  // as PartySeats
  void add_to(std::vector<SeatReport>& seats, SeenReports& seen) const;

 private:
  struct Seat {
    std::string name;
    std::unique_ptr<LiveReception> playback;
    // The one before goes on with what it has until the first picture of the new one.
    std::unique_ptr<LiveReception> leaving;
    std::int64_t switches = 0;
    std::int64_t shown_before = 0;
    std::uint64_t newest = 0;  // playbacks are numbered
    std::uint64_t shown = 0;   // of the last picture
    std::optional<Timestamp> last_picture;
    Duration longest_switch{};
  };
  // Playbacks end without the lock, which their pictures may want.
  using Ending = std::vector<std::unique_ptr<LiveReception>>;

  std::unique_ptr<LiveReception> make_playback(const qps::Seat& seat, std::uint64_t number);
  bool note_picture(int seat, std::uint64_t number);
  void note_end(Seat& seat);
  static void empty(Seat& seat, Ending& ending);
  static void add_seen(const Seat& seat, SeenReports& seen);

  const char* const what_;
  const int window_;
  const media::PlayoutMode playout_;
  const media::DecoderMaker decoders_;
  PresentationClocks& clocks_;
  const OnPicture on_picture_;
  mutable std::mutex mutex_;  // guards all below
  std::map<int, Seat> seats_;
  SeenReports seen_;  // of playbacks that have ended
  Ending left_;       // until the next tidy()
};

}  // namespace qvid::app
