// What can be shared in a call, in its side panel: a line for each, with a small picture of what it
// shows; and the choice of a part of the desktop (ui/call/share_part.h), for which the panel takes the
// whole window.
//
// Inside a frame of ImGui. Thread: the main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "media/picture/video_frame.h"
#include "ui/call/share_part.h"
#include "ui/call/tile_pictures.h"

struct SDL_Keysym;
struct SDL_Renderer;

namespace qvid::ui {

struct ShareChoice {
  std::string source{};  // as the app takes it
  std::string title{};   // UTF-8, of any length
  std::string detail{};
  media::PictureSize
      part_of{};  // not empty: a part of the source, which is so large, is to be chosen
};

class SharePanel {
 public:
  explicit SharePanel(SDL_Renderer& renderer) : stills_(renderer) {}

  // `with_sound`: whether what other programs play goes along, which the user changes; empty: there is none
  // that could.
  void offer(std::vector<ShareChoice> choices, std::optional<bool> with_sound);
  std::optional<bool> with_sound() const { return with_sound_; }
  // The pictures are not needed any longer.
  void close();
  // Of what is offered; nothing where it is not.
  void show_still(const std::string& source, const media::VideoFrame& still);
  bool fresh() const { return stills_.fresh(); }
  void upload() { stills_.upload(); }
  void reset() { stills_.reset(); }

  bool chooses_part() const { return part_.has_value(); }
  // True: it is the panel's, which is choosing a part.
  bool handle_key(const SDL_Keysym& key);
  // The part, or null: none is being chosen.
  SharePart* part() { return part_ ? &*part_ : nullptr; }
  void draw();
  // The source that was chosen since the last time; empty: none.
  std::string take_chosen();

 private:
  void choose(const ShareChoice& choice);
  void answer(SharePart::Answer answer);
  void draw_choices();
  TilePicture& picture_of(std::size_t choice);

  std::vector<ShareChoice> choices_;
  std::optional<bool> with_sound_;
  TilePictures stills_;                // by source
  std::vector<TilePicture> pictures_;  // one a choice, of what was drawn last
  std::size_t parted_ = 0;             // the choice that part_ is of
  std::optional<SharePart> part_;      // while one is chosen
  bool is_back_ = false;               // the focus is to be at parted_ again
  std::string chosen_;
};

}  // namespace qvid::ui
