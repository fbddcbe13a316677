#include "ui/call/tile_board.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace qvid::ui {

void TileBoard::set(std::vector<TileModel> tiles) {
  tiles_.clear();
  std::set<std::string> keys;
  not_shown_ = 0;
  for (TileModel& tile : tiles) {
    if (tile.key.empty() || keys.contains(tile.key)) continue;
    if (keys.size() == kMost) {
      ++not_shown_;
      continue;
    }
    keys.insert(tile.key);
    tiles_.push_back(std::move(tile));
  }
  pictures_.keep(tiles_);
  if (!has(selected_)) selected_.clear();
  if (!has(pointed_)) pointed_.clear();
  layout_.follow(std::ranges::any_of(tiles_, &TileModel::pinned),
                 std::ranges::any_of(tiles_, [](const TileModel& t) { return t.share && !t.own; }));
}

const TileModel* TileBoard::find(const std::string& key) const {
  const auto tile = std::ranges::find(tiles_, key, &TileModel::key);
  return tile == tiles_.end() ? nullptr : &*tile;
}

void TileBoard::show(const std::string& key, const media::VideoFrame& picture,
                     media::PictureSize nominal) {
  const TileModel* const tile = find(key);
  if (tile != nullptr && tile->video) pictures_.show(key, picture, nominal);
}

std::vector<TileModel> TileBoard::shown_tiles(bool words) const {
  std::vector<TileModel> tiles = tiles_;
  for (TileModel& tile : tiles) {
    tile.loudness = shown_loudness(tile.loudness);
    if (!words && tile.key != chosen()) tile.link.words.clear();
  }
  return tiles;
}

bool TileBoard::point(int x, int y) {
  const PlacedTile* const tile = tile_at(placed_, x, y);
  std::string key = tile != nullptr ? tile->key : std::string();
  if (pointed_ == key) return false;
  pointed_ = std::move(key);
  return true;
}

TileBoard::Click TileBoard::click(int x, int y) {
  const PlacedTile* const tile = tile_at(placed_, x, y);
  if (tile == nullptr) return {.selects = !std::exchange(selected_, {}).empty()};
  if (!has(tile->key)) return {};
  pointed_ = tile->key;
  return {.key = tile->key, .selects = std::exchange(selected_, tile->key) != tile->key};
}

void TileBoard::select_next() {
  if (tiles_.empty()) return;
  const auto now = std::ranges::find(tiles_, selected_, &TileModel::key);
  const bool last = now == tiles_.end() || now + 1 == tiles_.end();
  const auto next = last ? tiles_.begin() : now + 1;
  selected_ = next->key;
  pointed_.clear();
  show_page_of(selected_);
}

TileBoard::Paged TileBoard::paged() const {
  Paged paged;
  bool own = false;
  for (const TileModel& tile : tiles_) {
    const bool corner = !own && tile.own && !tile.share;
    own = own || corner;
    const bool large = layout() == LayoutMode::kSpeaker && tile.key == large_;
    (corner || large ? paged.always : paged.others).push_back(&tile);
  }
  return paged;
}

void TileBoard::show_page_of(const std::string& key) {
  const Paged all = paged();
  const auto tile = std::ranges::find(all.others, key, &TileModel::key);
  if (tile != all.others.end())
    page_ = static_cast<std::size_t>(tile - all.others.begin()) / places_;
}

bool TileBoard::turn_page(int by) {
  const bool is_there = by < 0 ? page_ > 0 : page_ + 1 < pages_;
  if (is_there) page_ = by < 0 ? page_ - 1 : page_ + 1;
  return is_there;
}

std::vector<PlacedTile> TileBoard::place(const Rectangle& room) {
  large_ = large_tile(tiles_, large_);
  places_ = layout() == LayoutMode::kGrid ? grid_places(room) : strip_places(room);
  Paged all = paged();
  pages_ = std::max<std::size_t>((all.others.size() + places_ - 1) / places_, 1);
  page_ = std::min(page_, pages_ - 1);
  std::vector<const TileModel*> seen = std::move(all.always);
  const std::size_t end = std::min(all.others.size(), (page_ + 1) * places_);
  for (std::size_t i = page_ * places_; i < end; ++i) seen.push_back(all.others[i]);
  std::vector<LayoutTile> tiles;
  for (const TileModel* const tile : seen) {
    tiles.push_back({.key = tile->key,
                     .aspect = pictures_.of(tile->key).nominal,
                     .important = tile->key == large_,
                     .own = tile->own && !tile->share});
  }
  return lay_out(room, tiles, layout_.mode());
}

void TileBoard::draw(const Rectangle& room, const Rectangle& buttons, Microphone microphone,
                     bool words) {
  std::vector<PlacedTile> placed = place(room);
  keep_corner_from(buttons, room, placed);
  moved_ = moved_ || placed != placed_;
  placed_ = std::move(placed);
  const auto before = std::exchange(models_, {});
  std::map<std::string, TileModel> models;
  for (TileModel& tile : shown_tiles(words)) models.emplace(tile.key, std::move(tile));
  const bool has_corner = !placed_.empty() && placed_.back().corner;
  const Rectangle corner = has_corner ? placed_.back().box : Rectangle{};
  drawn_.clear();
  drawn_.reserve(placed_.size());  // none may move: ImGui points at them
  for (const PlacedTile& each : placed_) {
    TileModel model = std::move(models[each.key]);
    const TilePictures::Picture& picture = pictures_.of(each.key);
    if (!picture.fault.empty()) model.status = picture.fault;
    const PictureShape shape = picture.shape();
    const auto drawn = before.find(each.key);
    const bool another = drawn == before.end() || drawn->second != std::pair(model, shape);
    if (pictures_.take_undrawn(each.key) || another) changed_.push_back(each.box);
    models_.emplace(each.key, std::pair(model, shape));
    if (shape.texture != nullptr) drawn_.push_back({picture.texture, each.picture});
    draw_tile({.model = model,
               .place = each,
               .picture = shape.texture != nullptr ? &drawn_.back() : nullptr,
               .selected = each.key == selected_,
               .microphone = microphone,
               .over = each.corner ? Rectangle{} : corner,
               .buttons = buttons});
  }
}

std::vector<Rectangle> TileBoard::take_new_pictures() {
  std::vector<Rectangle> places;
  for (const PlacedTile& each : placed_) {
    if (pictures_.take_undrawn(each.key)) places.push_back(each.picture);
  }
  return places;
}

std::optional<std::vector<Rectangle>> TileBoard::take_changed() {
  std::vector<Rectangle> changed = std::exchange(changed_, {});
  if (std::exchange(moved_, false)) return std::nullopt;
  return changed;
}

Rectangle TileBoard::place_of(const std::string& key) const {
  const auto tile = std::ranges::find(placed_, key, &PlacedTile::key);
  return tile == placed_.end() ? Rectangle{} : tile->picture;
}

std::vector<std::string> TileBoard::shown() const {
  std::vector<std::string> keys;
  if (has(large_)) keys.push_back(large_);
  for (const PlacedTile& tile : placed_) {
    if (tile.key != large_) keys.push_back(tile.key);
  }
  return keys;
}

}  // namespace qvid::ui
