#include "ui/window/imgui_renderer.h"

#include <SDL.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

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

void draw(SDL_Renderer* renderer, const ImDrawList& list, const ImDrawCmd& command) {
  const auto first = static_cast<int>(command.VtxOffset);
  const ImDrawVert* vertices = list.VtxBuffer.Data + first;
  const ImDrawIdx* indices = list.IdxBuffer.Data + command.IdxOffset;
  constexpr int kStep = sizeof(ImDrawVert);
  static_assert(sizeof(SDL_Color) == sizeof(ImU32));  // both: red, green, blue, alpha in memory
  SDL_RenderGeometryRaw(renderer, static_cast<SDL_Texture*>(command.GetTexID()), &vertices->pos.x,
                        kStep, reinterpret_cast<const SDL_Color*>(&vertices->col), kStep,
                        &vertices->uv.x, kStep, list.VtxBuffer.Size - first, indices,
                        static_cast<int>(command.ElemCount), sizeof(ImDrawIdx));
}

}  // namespace

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

void ImGuiRenderer::render(const ImDrawData& data) const {
  if (!fonts_ || data.TotalVtxCount == 0) return;
  const RestoreState restore(&renderer_);
  SDL_RenderSetViewport(&renderer_, nullptr);
  SDL_RenderSetScale(&renderer_, data.FramebufferScale.x, data.FramebufferScale.y);
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const bool callback = command.UserCallback != nullptr;
      if (command.ElemCount == 0 && !callback) continue;
      const SDL_Rect clip = clip_of(command, data);
      if (clip.w <= 0 || clip.h <= 0) continue;
      SDL_RenderSetClipRect(&renderer_, &clip);
      if (callback) {
        command.UserCallback(&list, &command);
      } else {
        draw(&renderer_, list, command);
      }
    }
  }
}

}  // namespace qvid::ui
