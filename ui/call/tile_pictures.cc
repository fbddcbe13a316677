#include "ui/call/tile_pictures.h"

#include <set>

namespace qvid::ui {

void TilePictures::keep(std::span<const TileModel> tiles) {
  std::set<std::string> keys;
  for (const TileModel& tile : tiles) {
    keys.insert(tile.key);
    Picture& picture = pictures_[tile.key];
    if (!tile.video) picture = {.nominal = picture.nominal};
  }
  std::erase_if(pictures_, [&](const auto& entry) { return keys.count(entry.first) == 0; });
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
    if (!picture.texture) picture.texture = std::make_shared<VideoTexture>(renderer_);
    const auto uploaded = picture.texture->upload(*picture.frame);
    picture.fault = uploaded ? std::string() : uploaded.error().message;
  }
}

void TilePictures::reset() {
  for (auto& [key, picture] : pictures_) {
    if (picture.texture) picture.texture->reset();
    picture.fresh = picture.frame.has_value();
  }
  fresh_ = true;
}

}  // namespace qvid::ui
