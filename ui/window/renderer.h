// The renderer of a window: the graphics hardware's; where OpenGL is only emulated on the processor
// (no graphics hardware, a virtual machine), SDL's own software renderer, which draws a picture in
// half of that time.
//
// Thread: the main thread.
#pragma once

#include "ui/window/sdl_handles.h"

namespace qvid::ui {

// Null: there is none; SDL_GetError says why. What SDL_RENDER_DRIVER names is used as it is.
RendererHandle open_renderer(SDL_Window& window);

// SDL's own, which knows no graphics card.
bool draws_on_processor(SDL_Renderer& renderer);

// At so many pixels a unit a clip rectangle in units ends where what it is to hold does; at a scale that is no whole
// number SDL may end it a pixel before.
bool clips_exactly(float scale);

}  // namespace qvid::ui
