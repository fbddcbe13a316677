#include "ui/window/imgui_renderer.h"

#include <SDL.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/window/renderer.h"

namespace qvid::ui {
namespace {

class RestoreState {
 public:
  explicit RestoreState(SDL_Renderer* renderer) : renderer_(renderer) {
    SDL_RenderGetScale(renderer_, &scale_x_, &scale_y_);
    SDL_RenderGetViewport(renderer_, &viewport_);
    clipped_ = SDL_RenderIsClipEnabled(renderer_) == SDL_TRUE;
    SDL_RenderGetClipRect(renderer_, &clip_);
  }
  ~RestoreState() {
    SDL_RenderSetScale(renderer_, scale_x_, scale_y_);
    SDL_RenderSetViewport(renderer_, &viewport_);
    SDL_RenderSetClipRect(renderer_, clipped_ ? &clip_ : nullptr);
  }
  RestoreState(const RestoreState&) = delete;
  RestoreState& operator=(const RestoreState&) = delete;

 private:
  SDL_Renderer* renderer_;
  float scale_x_ = 1;
  float scale_y_ = 1;
  SDL_Rect viewport_{};
  bool clipped_ = false;
  SDL_Rect clip_{};
};

// The whole units that hold the command's rectangle, within the display.
SDL_Rect clip_of(const ImDrawCmd& command, const ImDrawData& data) {
  const auto side = [](float value, float limit) { return std::clamp(value, 0.0f, limit); };
  const float left = std::floor(side(command.ClipRect.x, data.DisplaySize.x));
  const float top = std::floor(side(command.ClipRect.y, data.DisplaySize.y));
  const float right = std::ceil(side(command.ClipRect.z, data.DisplaySize.x));
  const float bottom = std::ceil(side(command.ClipRect.w, data.DisplaySize.y));
  return {static_cast<int>(left), static_cast<int>(top), static_cast<int>(right - left),
          static_cast<int>(bottom - top)};
}

constexpr int kKeptFrom = 3;  // drawings of the same part of a frame

constexpr unsigned int kOfTriangle = 3;  // indices
constexpr unsigned int kOfRectangle = 6;

// What ImGui's PrimRect has made at these indices: a rectangle of one colour on whole pixels.
std::optional<SDL_Rect> plain_rectangle(const ImDrawVert* vertices, const ImDrawIdx* indices,
                                        const ImVec2& scale) {
  const ImDrawVert& min = vertices[indices[0]];
  const ImDrawVert& right = vertices[indices[1]];
  const ImDrawVert& max = vertices[indices[2]];
  const ImDrawVert& left = vertices[indices[5]];
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  for (const ImDrawVert* v : {&min, &right, &max, &left}) {
    if (v->col != min.col || v->uv.x != white.x || v->uv.y != white.y) return std::nullopt;
  }
  const bool upright = indices[3] == indices[0] && indices[4] == indices[2] &&
                       right.pos.x == max.pos.x && right.pos.y == min.pos.y &&
                       left.pos.x == min.pos.x && left.pos.y == max.pos.y;
  if (!upright) return std::nullopt;
  constexpr float kSame =
      1.0f / 64;  // at scales that are no powers of two a product is a little off
  for (const float side :
       {min.pos.x * scale.x, max.pos.x * scale.x, min.pos.y * scale.y, max.pos.y * scale.y}) {
    if (std::abs(side - std::round(side)) > kSame) return std::nullopt;
  }
  const auto whole = [](float units, float by) {
    return static_cast<int>(std::lround(units * by));
  };
  const int x = whole(min.pos.x, scale.x);
  const int y = whole(min.pos.y, scale.y);
  return SDL_Rect{x, y, whole(max.pos.x, scale.x) - x, whole(max.pos.y, scale.y) - y};
}

void fill(SDL_Renderer* renderer, const SDL_Rect& pixels, const ImVec2& scale, ImU32 color) {
  const auto channel = [color](int shift) { return static_cast<Uint8>(color >> shift); };
  const Uint8 alpha = channel(IM_COL32_A_SHIFT);
  SDL_SetRenderDrawBlendMode(renderer,
                             alpha == SDL_ALPHA_OPAQUE ? SDL_BLENDMODE_NONE : SDL_BLENDMODE_BLEND);
  SDL_SetRenderDrawColor(renderer, channel(IM_COL32_R_SHIFT), channel(IM_COL32_G_SHIFT),
                         channel(IM_COL32_B_SHIFT), alpha);
  SDL_RenderSetScale(renderer, 1, 1);  // so that whole pixels stay whole
  SDL_RenderFillRect(renderer, &pixels);
  SDL_RenderSetScale(renderer, scale.x, scale.y);
}

void draw(SDL_Renderer* renderer, const ImDrawList& list, const ImDrawCmd& command,
          unsigned int from, unsigned int to) {
  if (from == to) return;
  const auto first = static_cast<int>(command.VtxOffset);
  const ImDrawVert* vertices = list.VtxBuffer.Data + first;
  const ImDrawIdx* indices = list.IdxBuffer.Data + command.IdxOffset + from;
  constexpr int kStep = sizeof(ImDrawVert);
  static_assert(sizeof(SDL_Color) == sizeof(ImU32));  // both: red, green, blue, alpha in memory
  SDL_RenderGeometryRaw(renderer, static_cast<SDL_Texture*>(command.GetTexID()), &vertices->pos.x,
                        kStep, reinterpret_cast<const SDL_Color*>(&vertices->col), kStep,
                        &vertices->uv.x, kStep, list.VtxBuffer.Size - first, indices,
                        static_cast<int>(to - from), sizeof(ImDrawIdx));
}

// May a triangle be seen in there? In units.
bool touches(const ImDrawVert* vertices, const ImDrawIdx* triangle, const SDL_Rect& clip) {
  const auto [left, right] = std::minmax(
      {vertices[triangle[0]].pos.x, vertices[triangle[1]].pos.x, vertices[triangle[2]].pos.x});
  const auto [top, bottom] = std::minmax(
      {vertices[triangle[0]].pos.y, vertices[triangle[1]].pos.y, vertices[triangle[2]].pos.y});
  return right >= static_cast<float>(clip.x) && left <= static_cast<float>(clip.x + clip.w) &&
         bottom >= static_cast<float>(clip.y) && top <= static_cast<float>(clip.y + clip.h);
}

// SDL's software renderer takes a division for each pixel of a triangle: what surrounds the pictures of a
// call took longer than they did. Rectangles of one colour are therefore filled as such. It also takes its
// time for each triangle that is not seen, as nearly all are not where a part is drawn.
void draw_on_processor(SDL_Renderer* renderer, const ImDrawList& list, const ImDrawCmd& command,
                       const ImVec2& scale, const SDL_Rect& clip) {
  const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
  const ImDrawIdx* indices = list.IdxBuffer.Data + command.IdxOffset;
  unsigned int from = 0;
  for (unsigned int i = 0; i + kOfTriangle <= command.ElemCount;) {
    if (!touches(vertices, indices + i, clip)) {
      draw(renderer, list, command, from, i);
      from = i += kOfTriangle;
      continue;
    }
    const bool may_be = i + kOfRectangle <= command.ElemCount;
    const auto rectangle =
        may_be ? plain_rectangle(vertices, indices + i, scale) : std::optional<SDL_Rect>();
    if (!rectangle) {
      i += kOfTriangle;
      continue;
    }
    draw(renderer, list, command, from, i);
    fill(renderer, *rectangle, scale, vertices[indices[i]].col);
    from = i += kOfRectangle;
  }
  draw(renderer, list, command, from, command.ElemCount);
}

}  // namespace

ImGuiRenderer::ImGuiRenderer(SDL_Renderer& renderer)
    : renderer_(renderer), on_processor_(draws_on_processor(renderer)), canvas_(renderer) {}

bool ImGuiRenderer::load_fonts() {
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.GetTexDataAsRGBA32(&pixels, &width, &height);
  fonts_.reset(SDL_CreateTexture(&renderer_, SDL_PIXELFORMAT_RGBA32, SDL_TEXTUREACCESS_STATIC,
                                 width, height));
  if (fonts_) {
    SDL_UpdateTexture(fonts_.get(), nullptr, pixels, width * 4);
    SDL_SetTextureBlendMode(fonts_.get(), SDL_BLENDMODE_BLEND);
    SDL_SetTextureScaleMode(fonts_.get(), SDL_ScaleModeLinear);
  }
  atlas.SetTexID(fonts_.get());
  return fonts_ != nullptr;
}

void ImGuiRenderer::render(const ImDrawData& data) {
  render_part(data, {0, 0, static_cast<int>(std::ceil(data.DisplaySize.x)),
                     static_cast<int>(std::ceil(data.DisplaySize.y))});
}

void ImGuiRenderer::render_part(const ImDrawData& data, const Rectangle& units) {
  if (!fonts_ || data.TotalVtxCount == 0) return;
  const RestoreState restore(&renderer_);
  take_units(data);
  for (const Command& command : commands_in(data, units)) draw_command(command, data);
}

void ImGuiRenderer::render_part_again(const ImDrawData& data, const Rectangle& units) {
  if (!fonts_) return;
  auto kept = std::ranges::find(kept_, units, &KeptPart::units);
  if (kept == kept_.end()) kept = kept_.insert(kept_.end(), {.units = units});
  if (kept->of_frame_before) *kept = {.units = units};
  if (++kept->drawn < kKeptFrom) return render_part(data, units);
  const RestoreState restore(&renderer_);
  if (kept->steps.empty() && !keep(data, *kept)) return render_part(data, units);
  for (const KeptPart::Step& step : kept->steps) {
    if (step.callback) {
      take_units(data);
      draw_command(*step.callback, data);
    } else {
      SDL_RenderSetClipRect(&renderer_, nullptr);
      SDL_RenderSetScale(&renderer_, 1, 1);
      step.layer.draw(renderer_);
    }
  }
}

// What lies between two pictures is one layer.
bool ImGuiRenderer::keep(const ImDrawData& data, KeptPart& part) {
  const auto scale = static_cast<int>(data.FramebufferScale.x);
  const SDL_Rect pixels{part.units.x * scale, part.units.y * scale, part.units.width * scale,
                        part.units.height * scale};
  const std::vector<Command> commands = commands_seen_in(data, part.units);
  std::vector<KeptPart::Step> steps;
  for (auto at = commands.begin(); at != commands.end();) {
    if (at->is_callback()) {
      steps.push_back({.callback = *at++});
      continue;
    }
    const auto end =
        std::find_if(at, commands.end(), [](const Command& c) { return c.is_callback(); });
    auto layer = canvas_.keep(pixels, [&] {
      take_units(data);
      for (; at != end; ++at) draw_command(*at, data);
    });
    if (!layer) return false;
    if (!layer->empty()) steps.push_back({.layer = *std::move(layer)});
  }
  part.steps = std::move(steps);
  return true;
}

void ImGuiRenderer::begin_frame() {
  std::erase_if(kept_, &KeptPart::of_frame_before);
  for (KeptPart& part : kept_) part.of_frame_before = true;
}

void ImGuiRenderer::same_but_for(const ImDrawData& data, std::span<const Rectangle> changed) {
  for (KeptPart& part : kept_) {
    const bool touched =
        std::ranges::any_of(changed, [&](const Rectangle& r) { return r.touches(part.units); });
    part.of_frame_before = part.of_frame_before && (touched || !takes_callbacks(data, part));
  }
}

// Those of the frame before are gone with it.
bool ImGuiRenderer::takes_callbacks(const ImDrawData& data, KeptPart& part) {
  if (part.steps.empty()) return true;
  auto step = part.steps.begin();
  const auto next = [&] {
    return step = std::find_if(step, part.steps.end(),
                               [](const KeptPart::Step& s) { return s.callback.has_value(); });
  };
  for (const Command& command : commands_seen_in(data, part.units)) {
    if (!command.is_callback()) continue;
    if (next() == part.steps.end()) return false;
    (step++)->callback = command;
  }
  return next() == part.steps.end();
}

void ImGuiRenderer::take_units(const ImDrawData& data) {
  SDL_RenderSetViewport(&renderer_, nullptr);
  SDL_RenderSetScale(&renderer_, data.FramebufferScale.x, data.FramebufferScale.y);
}

// Without what a picture hides.
std::vector<ImGuiRenderer::Command> ImGuiRenderer::commands_seen_in(const ImDrawData& data,
                                                                    const Rectangle& units) {
  std::vector<Command> commands = commands_in(data, units);
  const auto hiding = std::find_if(commands.rbegin(), commands.rend(), [&](const Command& c) {
    return c.is_callback() && c.clip == units;
  });
  if (hiding != commands.rend()) commands.erase(commands.begin(), hiding.base() - 1);
  return commands;
}

std::vector<ImGuiRenderer::Command> ImGuiRenderer::commands_in(const ImDrawData& data,
                                                               const Rectangle& units) {
  const SDL_Rect part{units.x, units.y, units.width, units.height};
  std::vector<Command> commands;
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.ElemCount == 0 && command.UserCallback == nullptr) continue;
      const SDL_Rect own_clip = clip_of(command, data);
      SDL_Rect clip;
      if (SDL_IntersectRect(&own_clip, &part, &clip) == SDL_FALSE) continue;
      commands.push_back({&list, &command, {clip.x, clip.y, clip.w, clip.h}});
    }
  }
  return commands;
}

bool ImGuiRenderer::Command::is_callback() const { return command->UserCallback != nullptr; }

void ImGuiRenderer::draw_command(const Command& one, const ImDrawData& data) {
  const auto& [list, command, units] = one;
  const SDL_Rect clip{units.x, units.y, units.width, units.height};
  SDL_RenderSetClipRect(&renderer_, &clip);
  if (one.is_callback()) {
    command->UserCallback(list, command);
  } else if (on_processor_ && command->GetTexID() == fonts_.get()) {
    draw_on_processor(&renderer_, *list, *command, data.FramebufferScale, clip);
  } else {
    draw(&renderer_, *list, *command, 0, command->ElemCount);
  }
}

}  // namespace qvid::ui
