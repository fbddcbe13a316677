#include "ui/call/tile_pictures.h"

#include <set>

namespace qvid::ui {
namespace {

// What was drawn last may still have its texture.
void forget(const TilePictures::Picture& picture) {
  if (picture.texture) picture.texture->forget_frame();
}

}  // namespace

void TilePictures::keep(std::span<const TileModel> tiles) {
  std::set<std::string> keys;
  for (const TileModel& tile : tiles) {
    keys.insert(tile.key);
    Picture& picture = pictures_[tile.key];
    if (tile.video) continue;
    forget(picture);
    picture = {.nominal = picture.nominal};
  }
  std::erase_if(pictures_, [&](auto& entry) {
    const bool gone = keys.count(entry.first) == 0;
    if (gone) forget(entry.second);
    return gone;
  });
}

void TilePictures::show(const std::string& key, const media::VideoFrame& frame,
                        media::PictureSize nominal) {
  Picture& shown = pictures_[key];
  shown.frame = frame;
  shown.nominal = nominal;
  shown.fresh = fresh_ = true;
}

void TilePictures::upload() {
  fresh_ = false;
  for (auto& [key, picture] : pictures_) {
    if (!picture.fresh) continue;
    picture.fresh = false;
    picture.undrawn = true;
    if (!picture.texture) picture.texture = std::make_shared<VideoTexture>(renderer_);
    const auto uploaded = picture.texture->upload(*picture.frame);
    picture.fault = uploaded ? std::string() : uploaded.error().message;
  }
}

std::map<std::string, PictureShape> TilePictures::shapes() const {
  std::map<std::string, PictureShape> shapes;
  for (const auto& [key, picture] : pictures_) {
    shapes[key] = picture.shape();
  }
  return shapes;
}

void TilePictures::reset() {
  for (auto& [key, picture] : pictures_) {
    if (picture.texture) picture.texture->reset();
    picture.fresh = picture.frame.has_value();
  }
  fresh_ = true;
}

}  // namespace qvid::ui
