// What parties of a room publish and watch, by number and name.
#pragma once

#include <cstdint>
#include <string>

namespace qvid::app {

inline constexpr std::uint32_t kPictureViewer = 1;
inline constexpr std::uint32_t kSoundViewer = 2;
inline constexpr std::uint32_t kShareViewer = 3;
inline constexpr const char* kPictureTrack = "";
inline constexpr const char* kSoundTrack = "sound";
inline constexpr const char* kShareTrack = "share";
// Of those who share at the same time, as many are shown.
inline constexpr int kShareSeats = 2;

// "Ann", "Ann (share)": whose pictures, in logs and names of files.
inline std::string track_text(const std::string& name, bool share) {
  return share ? name + " (share)" : name;
}

// What it decodes, as an attribute of a member: a list of names of media/codec/codec.h.
inline constexpr const char* kDecodesAttribute = "decodes";

}  // namespace qvid::app
