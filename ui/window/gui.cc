#include "ui/window/gui.h"

#include <SDL.h>
#include <imgui.h>

#include <algorithm>

#if __has_include(<backends/imgui_impl_sdl2.h>)  // from 1.89 on
#include <backends/imgui_impl_sdl2.h>
#else
#include <backends/imgui_impl_sdl.h>
#endif

namespace qvid::ui {
namespace {

constexpr float kFontSize = 16;  // units of the window; ImGui's own 13 is small over a video
constexpr float kRounding = 6;   // units, of the corners

bool init_input(SDL_Window* window, [[maybe_unused]] SDL_Renderer* renderer) {
#if __has_include(<backends/imgui_impl_sdl2.h>)
  return ImGui_ImplSDL2_InitForSDLRenderer(window, renderer);
#else
  return ImGui_ImplSDL2_InitForSDLRenderer(window);
#endif
}

}  // namespace

void Gui::ContextDeleter::operator()(ImGuiContext* context) const {
  ImGui::DestroyContext(context);
}

Gui::Gui(SDL_Window& window, SDL_Renderer& renderer)
    : window_(window), sdl_(renderer), context_(ImGui::CreateContext()), renderer_(renderer) {
  use();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // leaves no file behind in the working directory
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NoMouseCursorChange;  // the window hides it in full screen
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  ImGui::StyleColorsDark();
  ImGui::GetStyle().WindowRounding = kRounding;
  ImGui::GetStyle().WindowBorderSize = 0;
  init_input(&window_, &sdl_);
}

Gui::~Gui() {
  use();
  ImGui_ImplSDL2_Shutdown();
}

void Gui::use() const { ImGui::SetCurrentContext(context_.get()); }

void Gui::handle(const SDL_Event& event) {
  use();
  ImGui_ImplSDL2_ProcessEvent(&event);
}

bool Gui::wants_mouse() const {
  use();
  return ImGui::GetIO().WantCaptureMouse;
}

void Gui::begin_frame() {
  use();
  int pixels = 0;
  int units = 0;
  SDL_GetRendererOutputSize(&sdl_, &pixels, nullptr);
  SDL_GetWindowSize(&window_, &units, nullptr);
  const float scale =
      pixels > 0 && units > 0 ? static_cast<float>(pixels) / static_cast<float>(units) : 1.0f;
  if (scale != font_scale_) load_font(scale);
  ImGui_ImplSDL2_NewFrame();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplayFramebufferScale = {scale, scale};
  io.DeltaTime = std::max(io.DeltaTime, 1e-6f);  // ImGui wants time to pass between frames
  ImGui::NewFrame();
}

void Gui::end_frame() {
  use();
  ImGui::Render();
  renderable_ = true;
}

void Gui::render() const {
  if (!renderable_) return;
  use();
  if (const ImDrawData* data = ImGui::GetDrawData()) renderer_.render(*data);
}

void Gui::reload_textures() {
  use();
  renderable_ = false;
  if (font_scale_ > 0) renderer_.load_fonts();
}

// Drawn at the pixels of the display and scaled back to units, so that text is sharp on any.
void Gui::load_font(float pixels_per_unit) {
  ImGuiIO& io = ImGui::GetIO();
  ImFontConfig config;
  config.SizePixels = kFontSize * pixels_per_unit;
  io.Fonts->Clear();
  io.Fonts->AddFontDefault(&config);
  io.FontGlobalScale = 1.0f / pixels_per_unit;
  renderer_.load_fonts();
  font_scale_ = pixels_per_unit;
}

}  // namespace qvid::ui
