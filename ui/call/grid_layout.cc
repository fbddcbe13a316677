#include "ui/call/grid_layout.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <optional>

namespace qvid::ui {
namespace {

constexpr int kGap = 6;           // units between boxes, and at the window's edges
constexpr int kLeastForGap = 48;  // units either way that a cell must have to be worth a gap
constexpr int kCornerMargin = 12;
constexpr media::PictureSize kUnknownAspect{16, 9};

struct Placement {
  Rectangle box;
  Rectangle picture;
};

// The tiles of a grid, and the area that its pictures cover.
struct Grid {
  std::vector<Placement> places;
  std::int64_t covered = 0;
};

int count_of(const std::vector<media::PictureSize>& aspects) {
  return static_cast<int>(aspects.size());
}

std::int64_t area(const Rectangle& r) { return std::int64_t{r.width} * r.height; }

Rectangle fit_into(media::PictureSize aspect, const Rectangle& box) {
  Rectangle r = fit(aspect, {box.width, box.height});
  r.x += box.x;
  r.y += box.y;
  return r;
}

Rectangle inset(const Rectangle& r) {
  if (r.width < kLeastForGap || r.height < kLeastForGap) return r;
  return {r.x + kGap, r.y + kGap, r.width - 2 * kGap, r.height - 2 * kGap};
}

struct Cells {
  int columns = 0;
  int rows = 0;
  int gap = 0;
  media::PictureSize size;  // no area: there is no room for so many
};

Cells cells_of(const Rectangle& window, int columns, int rows) {
  const auto cell = [&](int gap) {
    return media::PictureSize{(window.width - gap * (columns - 1)) / columns,
                              (window.height - gap * (rows - 1)) / rows};
  };
  const media::PictureSize roomy = cell(kGap);
  if (roomy.width >= kLeastForGap && roomy.height >= kLeastForGap) {
    return {columns, rows, kGap, roomy};
  }
  return {columns, rows, 0, cell(0)};
}

// The division that leaves pictures of these aspects the most area.
Cells best_cells(const Rectangle& window, const std::vector<media::PictureSize>& aspects) {
  const int count = count_of(aspects);
  Cells best;
  std::int64_t most = 0;
  for (int columns = 1; columns <= count; ++columns) {
    const int rows = (count + columns - 1) / columns;
    if ((count + rows - 1) / rows != columns) continue;  // fewer columns do for so many rows
    const Cells cells = cells_of(window, columns, rows);
    std::int64_t covered = 0;
    for (const media::PictureSize aspect : aspects) covered += area(fit(aspect, cells.size));
    if (covered > most) {
      most = covered;
      best = cells;
    }
  }
  return best;
}

Grid make_grid(const Rectangle& window, const std::vector<media::PictureSize>& aspects) {
  Grid grid{std::vector<Placement>(aspects.size()), 0};
  const Cells cells = best_cells(window, aspects);
  if (cells.columns == 0) return grid;
  // A box need not be larger than the largest pictures: what is left over goes about the grid, not
  // between its boxes.
  media::PictureSize box;
  for (const media::PictureSize aspect : aspects) {
    const Rectangle picture = fit(aspect, cells.size);
    box = {std::max(box.width, picture.width), std::max(box.height, picture.height)};
  }
  const int count = count_of(aspects);
  const auto extent = [&](int number, int side) { return number * (side + cells.gap) - cells.gap; };
  const int top = window.y + (window.height - extent(cells.rows, box.height)) / 2;
  for (int i = 0; i < count; ++i) {
    const int row = i / cells.columns;
    const int in_row = std::min(cells.columns, count - row * cells.columns);
    const int left = window.x + (window.width - extent(in_row, box.width)) / 2;
    const int column = i % cells.columns;
    Placement& place = grid.places[static_cast<std::size_t>(i)];
    place.box = {left + column * (box.width + cells.gap), top + row * (box.height + cells.gap),
                 box.width, box.height};
    place.picture = fit_into(aspects[static_cast<std::size_t>(i)], place.box);
    grid.covered += area(place.picture);
  }
  return grid;
}

// One large picture, and a strip of the others.
struct Speaker {
  Rectangle room;  // of the large one
  Placement large;
  Grid strip;
  std::int64_t covered() const { return area(large.picture) + strip.covered; }
};

// Thicker where there are many, so that they stay recognisable: a share of the window, in percent.
int strip_percent(int others) { return others <= 5 ? 20 : others <= 10 ? 25 : 33; }

Speaker make_speaker(const Rectangle& window, media::PictureSize large,
                     const std::vector<media::PictureSize>& others, bool at_the_right) {
  Speaker speaker{window, {}, {}};
  Rectangle strip = window;
  const int percent = strip_percent(count_of(others));
  if (at_the_right) {
    strip.width = window.width * percent / 100;
    speaker.room.width = std::max(0, window.width - strip.width - kGap);
    strip.x = window.x + window.width - strip.width;
  } else {
    strip.height = window.height * percent / 100;
    speaker.room.height = std::max(0, window.height - strip.height - kGap);
    strip.y = window.y + window.height - strip.height;
  }
  speaker.large.picture = fit_into(large, speaker.room);
  speaker.large.box = speaker.large.picture;
  speaker.strip = make_grid(strip, others);
  return speaker;
}

// In the lower right of `room`, small against the boxes there, so that it never hides most of one.
Placement make_corner(media::PictureSize aspect, const Rectangle& room, media::PictureSize box) {
  const media::PictureSize most{std::min(room.width / 4, box.width * 2 / 5),
                                std::min(room.height / 4, box.height * 2 / 5)};
  Rectangle r = fit(aspect, most);
  if (r.empty()) return {};
  const int margin = std::min({kCornerMargin, room.width / 20, room.height / 20});
  r.x = room.x + room.width - margin - r.width;
  r.y = room.y + room.height - margin - r.height;
  return {r, r};
}

// One at least.
std::size_t places_in(media::PictureSize room, media::PictureSize least) {
  const int columns = std::max(1, room.width / least.width);
  const int rows = std::max(1, room.height / least.height);
  return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
}

media::PictureSize aspect_of(const LayoutTile& tile) {
  const bool known = tile.aspect.width > 0 && tile.aspect.height > 0;
  return known ? tile.aspect : kUnknownAspect;
}

// Which of the tiles are what.
struct Roles {
  std::optional<std::size_t> large;
  std::optional<std::size_t> corner;
  std::vector<std::size_t> others;
};

Roles roles_of(std::span<const LayoutTile> tiles, LayoutMode mode) {
  Roles roles;
  for (std::size_t i = 0; i < tiles.size() && mode == LayoutMode::kSpeaker && !roles.large; ++i) {
    if (tiles[i].important) roles.large = i;
  }
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (i == roles.large) continue;
    if (tiles[i].own && !roles.corner && tiles.size() > 1) {
      roles.corner = i;
    } else {
      roles.others.push_back(i);
    }
  }
  return roles;
}

}  // namespace

std::vector<PlacedTile> lay_out(const Rectangle& window, std::span<const LayoutTile> tiles,
                                LayoutMode mode) {
  const Roles roles = roles_of(tiles, mode);
  std::vector<media::PictureSize> others;
  for (const std::size_t i : roles.others) others.push_back(aspect_of(tiles[i]));

  std::vector<Placement> places(tiles.size());
  Rectangle room = window;  // where the corner is taken from
  if (!roles.large || others.empty()) {
    std::vector<std::size_t> in_grid = roles.others;
    if (roles.large) {
      in_grid = {*roles.large};
      others = {aspect_of(tiles[*roles.large])};
    }
    const Grid grid = make_grid(in_grid.size() > 1 ? inset(window) : window, others);
    for (std::size_t i = 0; i < in_grid.size(); ++i) places[in_grid[i]] = grid.places[i];
  } else {
    const media::PictureSize large = aspect_of(tiles[*roles.large]);
    const Speaker right = make_speaker(inset(window), large, others, true);
    const Speaker below = make_speaker(inset(window), large, others, false);
    const Speaker& better = right.covered() >= below.covered() ? right : below;
    places[*roles.large] = better.large;
    for (std::size_t i = 0; i < roles.others.size(); ++i) {
      places[roles.others[i]] = better.strip.places[i];
    }
    room = better.room;
  }
  if (roles.corner) {
    const bool many = !roles.large && roles.others.size() > 1;
    const Rectangle& beside = many ? places[roles.others[0]].box : room;
    places[*roles.corner] =
        make_corner(aspect_of(tiles[*roles.corner]), room, {beside.width, beside.height});
  }

  std::vector<PlacedTile> placed;
  const auto place = [&](std::size_t i, bool corner) {
    placed.push_back({tiles[i].key, places[i].box, places[i].picture, corner});
  };
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (i != roles.corner) place(i, false);
  }
  if (roles.corner) place(*roles.corner, true);
  return placed;
}

void keep_corner_from(const Rectangle& over, const Rectangle& window,
                      std::vector<PlacedTile>& tiles) {
  if (tiles.empty() || !tiles.back().corner || over.empty()) return;
  PlacedTile& corner = tiles.back();
  const auto apart = [](int at, int length, int other, int other_length) {
    return at + length <= other || other + other_length <= at;
  };
  if (apart(corner.box.x, corner.box.width, over.x, over.width) ||
      apart(corner.box.y, corner.box.height, over.y, over.height)) {
    return;
  }
  const int lowest = over.y - kCornerMargin - corner.box.height;
  const int up = std::max(corner.box.y - std::max(lowest, window.y), 0);
  corner.box.y -= up;
  corner.picture.y -= up;
}

std::size_t grid_places(const Rectangle& room) {
  return places_in({room.width, room.height}, kLeastGridTile);
}

// Of whichever strip has fewer: which of the two it is follows from the pictures' aspects.
std::size_t strip_places(const Rectangle& room) {
  const int percent = strip_percent(INT_MAX);
  return std::min(places_in({room.width * percent / 100, room.height}, kLeastStripTile),
                  places_in({room.width, room.height * percent / 100}, kLeastStripTile));
}

const PlacedTile* tile_at(std::span<const PlacedTile> tiles, int x, int y) {
  const PlacedTile* found = nullptr;
  for (const PlacedTile& tile : tiles) {
    if (tile.box.has(x, y)) found = &tile;  // the last drawn is the one that is seen
  }
  return found;
}

}  // namespace qvid::ui
