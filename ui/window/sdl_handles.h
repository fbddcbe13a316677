// Owners of SDL's objects, without SDL's headers.
//
// SDL destroys a renderer's textures together with it, so a texture handle must be gone before its
// renderer, and a renderer before its window: declare them in the order window, renderer, textures.
#pragma once

#include <memory>

struct SDL_Renderer;
struct SDL_Surface;
struct SDL_Texture;
struct SDL_Window;

namespace qvid::ui {

struct SdlDeleter {
  void operator()(SDL_Window* window) const;
  void operator()(SDL_Renderer* renderer) const;
  void operator()(SDL_Texture* texture) const;
  void operator()(SDL_Surface* surface) const;
};

using WindowHandle = std::unique_ptr<SDL_Window, SdlDeleter>;
using RendererHandle = std::unique_ptr<SDL_Renderer, SdlDeleter>;
using TextureHandle = std::unique_ptr<SDL_Texture, SdlDeleter>;
using SurfaceHandle = std::unique_ptr<SDL_Surface, SdlDeleter>;

}  // namespace qvid::ui
