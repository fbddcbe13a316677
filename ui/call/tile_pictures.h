// The last picture of each tile of a call, on its way to the screen. Thread: the main thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "media/picture/video_frame.h"
#include "ui/window/tile_model.h"
#include "ui/window/video_texture.h"

namespace qvid::ui {

// What a drawing lays out of a picture, and what of it therefore asks for another one.
struct PictureShape {
  media::PictureSize nominal{};
  const VideoTexture* texture = nullptr;  // that has it; null: there is none to be seen
  std::string fault{};                    // why there is none
  bool operator==(const PictureShape&) const = default;
};

class TilePictures {
 public:
  struct Picture {
    media::PictureSize nominal{16, 9};         // until the first one
    std::optional<media::VideoFrame> frame{};  // kept for when the device loses its textures
    std::shared_ptr<VideoTexture> texture{};   // shared with what was drawn last
    bool fresh = false;                        // frame is not in the texture yet
    bool undrawn = false;                      // the texture is new since it was drawn
    std::string fault{};                       // why it cannot be shown; empty: it can

    PictureShape shape() const {
      const bool seen = texture && !texture->empty();
      return {.nominal = nominal, .texture = seen ? texture.get() : nullptr, .fault = fault};
    }
  };

  explicit TilePictures(SDL_Renderer& renderer) : renderer_(renderer) {}

  // Of these from now on: others' pictures are forgotten, and those of who sends no video.
  void keep(std::span<const TileModel> tiles);
  bool known(const std::string& key) const { return pictures_.count(key) != 0; }
  const Picture& of(const std::string& key) { return pictures_[key]; }
  // It is drawn now. True: another picture than the time before.
  bool take_undrawn(const std::string& key) { return std::exchange(pictures_[key].undrawn, false); }
  // Precondition: known(key).
  void show(const std::string& key, const media::VideoFrame& frame, media::PictureSize nominal);
  // At the drawing, not at show(): of two pictures in a turn the first need not travel.
  void upload();
  // Some were shown, or are to be uploaded again, since upload().
  bool fresh() const { return fresh_; }
  // By key, of all; as they were uploaded last.
  std::map<std::string, PictureShape> shapes() const;
  // The device has lost its textures.
  void reset();

 private:
  SDL_Renderer& renderer_;
  std::map<std::string, Picture> pictures_;  // one a tile
  bool fresh_ = false;
};

}  // namespace qvid::ui
