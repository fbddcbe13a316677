// The seats of a party that records what it watches (media/recording/recording.h): a file of each
// member, or of one, as it comes and without decoding. What a member shares is a file of its own,
// with the member's sound.
//
// Bound: kMostTracks recordings, each with a thread of its own; of later ones it is said that they
// are not recorded. Thread: the io_context's.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "app/room/party_seats.h"
#include "media/recording/recording.h"

namespace qvid::app {

// Of who records, in frames, in no hurry: what comes a second late is still of use.
inline constexpr int kRecordingWindow = 30;

struct RecordedSeatsOptions {
  std::filesystem::path output;
  std::string who;  // empty: the first who publishes
  bool all = false;
  bool replace = false;  // files that are there
};

// What a recording is of.
struct RecordedTrack {
  std::string name;
  bool share = false;
  auto operator<=>(const RecordedTrack&) const = default;
  std::string text() const { return track_text(name, share); }
};

// Of what the one member shares who is recorded to `path`.
std::filesystem::path share_file(const std::filesystem::path& path);

class RecordedSeats final : public PartySeats {
 public:
  static constexpr std::size_t kMostTracks = 256;

  struct Callbacks {
    std::function<std::map<std::string, MemberReport>()> members;
    std::function<void(const std::string& name)> watch_only;
    std::function<void()> began;  // the first message has come
    std::function<std::string()> comment = [] {
      return std::string();
    };  // for a file that begins now
  };
  using Recordings = std::map<RecordedTrack, std::unique_ptr<media::Recording>>;

  RecordedSeats(RecordedSeatsOptions options, Callbacks callbacks);

  // What media::Recording writes.
  std::vector<std::string> decodes() const override { return {"h264"}; }
  void joined() override;
  void show(const qps::Seat& seat) override;
  void on_picture(std::uint32_t viewer, int seat, std::uint64_t position, const Payload& message,
                  Timestamp now) override;
  // Of those whose pictures are.
  std::optional<qps::Watch> sound_watch(const qps::Watch& pictures) const override {
    return pictures;
  }
  void hear(const qps::Seat& seat) override;
  void on_sound(int seat, std::uint64_t position, const Payload& message, Timestamp now) override;
  bool tick(Duration, Timestamp) override { return false; }

  const Recordings& recordings() const { return recordings_; }
  // Whom it records; empty: nobody is chosen yet, or everybody.
  const std::string& wanted() const { return wanted_; }

 private:
  void choose(const std::string& name);
  media::Recording* recording_of(const RecordedTrack& track);

  const RecordedSeatsOptions options_;
  const Callbacks callbacks_;
  std::string wanted_;
  bool began_ = false;
  Recordings recordings_;
  struct Seat {
    std::uint32_t viewer = 0;
    int number = 0;
    auto operator<=>(const Seat&) const = default;
  };
  std::map<Seat, media::Recording*> seats_;  // null: not recorded
  std::map<int, std::string> heard_;         // whose sound a seat has
  std::set<std::filesystem::path> taken_;
};

}  // namespace qvid::app
