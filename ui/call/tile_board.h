// The tiles of a call on its window: which there are, where each is, which is selected and which is
// under the mouse; and their drawing.
//
// A tile keeps its last picture until it goes or sends no video. Beyond kMost tiles the rest is only
// counted. There are pages where there are more tiles than places for them (grid_layout.h); on each are
// the large one, where one is large, and the own picture. Places are in units. Thread: the main thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "media/picture/video_frame.h"
#include "ui/call/grid_layout.h"
#include "ui/call/layout_choice.h"
#include "ui/call/tile_pictures.h"
#include "ui/call/tile_view.h"
#include "ui/window/aspect.h"
#include "ui/window/tile_model.h"

namespace qvid::ui {

class TileBoard {
 public:
  static constexpr std::size_t kMost = 64;

  explicit TileBoard(SDL_Renderer& renderer) : pictures_(renderer) {}

  // Of tiles of the same key the first counts, and none without a key.
  void set(std::vector<TileModel> tiles);
  void show(const std::string& key, const media::VideoFrame& picture, media::PictureSize nominal);
  const std::vector<TileModel>& tiles() const { return tiles_; }
  // As draw() shows them: without the words of connections where these are not written.
  std::vector<TileModel> shown_tiles(bool words) const;
  std::size_t not_shown() const { return not_shown_; }
  bool has(const std::string& key) const { return pictures_.known(key); }
  // Null: there is none.
  const TileModel* find(const std::string& key) const;

  // The mouse is there. True: over another tile than before.
  bool point(int x, int y);
  void leave() { pointed_.clear(); }
  // A button of it went down there. Empty: beside all tiles. True: another one is selected now.
  struct Click {
    std::string key{};
    bool selects = false;
  };
  Click click(int x, int y);
  void select_next();
  // Empty: none.
  const std::string& selected() const { return selected_; }
  // The one that a key means: under the mouse, unless a key has selected since.
  const std::string& chosen() const { return pointed_.empty() ? selected_ : pointed_; }

  // As it was drawn last, from 0 on; one page where all fit.
  std::size_t page() const { return page_; }
  std::size_t pages() const { return pages_; }
  // On or back; false: there is none.
  bool turn_page(int by);

  LayoutMode layout() const { return layout_.mode(); }
  LayoutMode chosen_layout() const { return layout_.chosen(); }
  void set_layout(LayoutMode mode) { layout_.set(mode); }
  void toggle_layout() { layout_.toggle(); }

  // Pictures that were shown since the time before go to the textures that are drawn.
  void upload() { pictures_.upload(); }
  std::map<std::string, PictureShape> shapes() const { return pictures_.shapes(); }
  // Where pictures were drawn last of which the textures have another one since.
  std::vector<Rectangle> take_new_pictures();
  // The device has lost its textures.
  void reset() { pictures_.reset(); }
  // Inside a frame of ImGui, which points into this until the next frame. `words`: what signs mean
  // is written beside all of them, else on the chosen tile alone. `buttons` lie over the tiles.
  void draw(const Rectangle& room, const Rectangle& buttons, Microphone microphone, bool words);
  // What looks another way than at the call before of this, by what draw() has drawn since: boxes of
  // tiles. Nullopt: anything may, since tiles have moved.
  std::optional<std::vector<Rectangle>> take_changed();
  // Where a tile's picture was drawn last; empty: nowhere.
  Rectangle place_of(const std::string& key) const;
  // The tiles that were drawn last: who is large, or would be, before the others.
  std::vector<std::string> shown() const;

 private:
  // On each page, and the others in their order.
  struct Paged {
    std::vector<const TileModel*> always{};
    std::vector<const TileModel*> others{};
  };
  Paged paged() const;
  std::vector<PlacedTile> place(const Rectangle& room);
  void show_page_of(const std::string& key);

  std::vector<TileModel> tiles_;
  std::size_t not_shown_ = 0;
  TilePictures pictures_;
  LayoutChoice layout_;
  std::string large_;  // the tile that was large last
  std::string selected_;
  std::string pointed_;
  std::size_t places_ = kMost;  // of a page, without those that are on each
  std::size_t page_ = 0;
  std::size_t pages_ = 1;
  // What was drawn last.
  std::vector<PlacedTile> placed_;
  std::vector<TilePicture> drawn_;
  std::map<std::string, std::pair<TileModel, PictureShape>> models_;  // by key, of those
  bool moved_ = false;                                                // since take_changed()
  std::vector<Rectangle> changed_;                                    // boxes, since then
};

}  // namespace qvid::ui
