#include "ui/window/renderer.h"

#include <SDL.h>
#include <SDL_opengl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace qvid::ui {
namespace {

// Mesa's names for drawing on the processor.
constexpr std::array<std::string_view, 3> kEmulated = {"llvmpipe", "softpipe", "swrast"};

// Precondition: a renderer of OpenGL was made last, so that its context is current.
bool is_emulated() {
  using GetString = const GLubyte*(APIENTRY*)(GLenum);
  const auto get_string = reinterpret_cast<GetString>(SDL_GL_GetProcAddress("glGetString"));
  const GLubyte* name = get_string != nullptr ? get_string(GL_RENDERER) : nullptr;
  if (name == nullptr) return false;
  const std::string_view renderer(reinterpret_cast<const char*>(name));
  return std::ranges::any_of(kEmulated, [&](std::string_view one) {
    return renderer.find(one) != std::string_view::npos;
  });
}

}  // namespace

RendererHandle open_renderer(SDL_Window& window) {
  // -1 and no flags: the first renderer that works; the last that SDL tries is the software one.
  RendererHandle renderer(SDL_CreateRenderer(&window, -1, 0));
  SDL_RendererInfo info;
  if (!renderer || SDL_GetHint(SDL_HINT_RENDER_DRIVER) != nullptr ||
      SDL_GetRendererInfo(renderer.get(), &info) != 0 ||
      std::string_view(info.name).find("opengl") == std::string_view::npos || !is_emulated()) {
    return renderer;
  }
  renderer.reset();
  // Or it would show what it has drawn by that OpenGL.
  SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
  renderer.reset(SDL_CreateRenderer(&window, -1, SDL_RENDERER_SOFTWARE));
  return renderer ? std::move(renderer) : RendererHandle(SDL_CreateRenderer(&window, -1, 0));
}

bool draws_on_processor(SDL_Renderer& renderer) {
  SDL_RendererInfo info;
  return SDL_GetRendererInfo(&renderer, &info) == 0 && (info.flags & SDL_RENDERER_SOFTWARE) != 0;
}

bool clips_exactly(float scale) { return scale == std::floor(scale); }

}  // namespace qvid::ui
