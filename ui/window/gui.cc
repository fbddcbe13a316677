#include "ui/window/gui.h"

#include <SDL.h>
#include <imgui.h>

#include <algorithm>
#include <cfloat>

#if __has_include(<backends/imgui_impl_sdl2.h>)  // from 1.89 on
#include <backends/imgui_impl_sdl2.h>
#else
#include <backends/imgui_impl_sdl.h>
#endif

#include "media/picture/video_frame.h"

namespace qvid::ui {
namespace {

constexpr float kRounding = 6;  // units, of the corners

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

Gui::Gui(SDL_Window& window, SDL_Renderer& renderer, float scale)
    : window_(window),
      sdl_(renderer),
      scale_(scale),
      context_(ImGui::CreateContext()),
      renderer_(renderer) {
  use();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // leaves no file behind in the working directory
  io.LogFilename = nullptr;
  io.UserData = &fonts_;
  io.ConfigFlags |= ImGuiConfigFlags_NoMouseCursorChange;  // the window hides it in full screen
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigInputTextCursorBlink = false;  // nothing is drawn while nothing changes
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  ImGui::StyleColorsDark();
  ImGui::GetStyle().WindowRounding = kRounding;
  ImGui::GetStyle().WindowBorderSize = 0;
  init_input(&window_, &sdl_);
  take_clipboard();
}

Gui::~Gui() {
  use();
  ImGui_ImplSDL2_Shutdown();
}

void Gui::use() const { ImGui::SetCurrentContext(context_.get()); }

void Gui::handle(const SDL_Event& event) {
  use();
  if (event.type == SDL_TEXTINPUT) return handle_text(event);
  ImGui_ImplSDL2_ProcessEvent(&event);
#if IMGUI_VERSION_NUM < 18700
  // Its backend asks for those that are down now, which of a quick hand are others.
  if (event.type == SDL_KEYDOWN || event.type == SDL_KEYUP) {
    ImGuiIO& io = ImGui::GetIO();
    io.KeyCtrl = (event.key.keysym.mod & KMOD_CTRL) != 0;
    io.KeyShift = (event.key.keysym.mod & KMOD_SHIFT) != 0;
    io.KeyAlt = (event.key.keysym.mod & KMOD_ALT) != 0;
  }
#endif
}

// A stand-in is no longer than what it stands for.
void Gui::handle_text(const SDL_Event& event) {
  SDL_Event typed = event;
  SDL_strlcpy(typed.text.text, fonts_.stand_ins().typed(event.text.text).c_str(),
              sizeof typed.text.text);
  ImGui_ImplSDL2_ProcessEvent(&typed);
}

// Fields have stand-ins, the clipboard has text.
void Gui::take_clipboard() {
  static constexpr auto kGive = [](Gui& gui) {
    const std::unique_ptr<char, decltype(&SDL_free)> text(SDL_GetClipboardText(), SDL_free);
    gui.clipboard_ = gui.fonts_.stand_ins().typed(text ? text.get() : "");
    return gui.clipboard_.c_str();
  };
  static constexpr auto kTake = [](Gui& gui, const char* typed) {
    SDL_SetClipboardText(gui.fonts_.stand_ins().text_of(typed).c_str());
  };
#if IMGUI_VERSION_NUM >= 19110
  ImGuiPlatformIO& io = ImGui::GetPlatformIO();
  io.Platform_ClipboardUserData = this;
  io.Platform_GetClipboardTextFn = [](ImGuiContext*) {
    return kGive(*static_cast<Gui*>(ImGui::GetPlatformIO().Platform_ClipboardUserData));
  };
  io.Platform_SetClipboardTextFn = [](ImGuiContext*, const char* typed) {
    kTake(*static_cast<Gui*>(ImGui::GetPlatformIO().Platform_ClipboardUserData), typed);
  };
#else
  ImGuiIO& io = ImGui::GetIO();
  io.ClipboardUserData = this;
  io.GetClipboardTextFn = [](void* gui) { return kGive(*static_cast<Gui*>(gui)); };
  io.SetClipboardTextFn = [](void* gui, const char* typed) {
    kTake(*static_cast<Gui*>(gui), typed);
  };
#endif
}

bool Gui::wants_mouse() const {
  use();
  return ImGui::GetIO().WantCaptureMouse;
}

bool Gui::wants_keys() const {
  use();
  return ImGui::GetIO().WantCaptureKeyboard;
}

bool Gui::wants_text() const {
  use();
  return ImGui::GetIO().WantTextInput;
}

void Gui::leave_windows() {
  use();
  ImGui::SetWindowFocus(nullptr);
}

bool Gui::is_editing() const {
  return wants_text() ||
         ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

bool Gui::frame(const std::function<void()>& draw) {
  constexpr int kMostTries = 2;  // the second has all characters
  bool loaded = false;
  for (int i = 0; i < kMostTries && (i == 0 || fonts_.lacking()); ++i) {
    loaded = begin_frame() || loaded;
    draw();
    end_frame();
  }
  return loaded;
}

// True: the fonts are loaded anew.
bool Gui::begin_frame() {
  use();
  renderer_.begin_frame();
  media::PictureSize pixels;
  media::PictureSize window;
  SDL_GetRendererOutputSize(&sdl_, &pixels.width, &pixels.height);
  SDL_GetWindowSize(&window_, &window.width, &window.height);
  const bool seen = pixels.width > 0 && window.width > 0;
  const float to_pixels =
      scale_ * (seen ? static_cast<float>(pixels.width) / static_cast<float>(window.width) : 1.0f);
  // Drawn at the pixels of the display and scaled back to units, so that text is sharp on any.
  const bool loads = to_pixels != font_scale_ || fonts_.lacking();
  if (loads) {
    fonts_.build(to_pixels);
    renderer_.load_fonts();
    font_scale_ = to_pixels;
  }
  fonts_.begin();
  ImGui_ImplSDL2_NewFrame();
  take_scaled();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplayFramebufferScale = {to_pixels, to_pixels};
  io.DeltaTime = std::max(io.DeltaTime, 1e-6f);  // ImGui wants time to pass between frames
  ImGui::NewFrame();
  return loads;
}

// The backend has told the size and the mouse in units of the window alone.
void Gui::take_scaled() const {
  if (scale_ == 1) return;
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {io.DisplaySize.x / scale_, io.DisplaySize.y / scale_};
#if IMGUI_VERSION_NUM >= 18700
  int x = 0;
  int y = 0;
  SDL_GetMouseState(&x, &y);
  if (SDL_GetMouseFocus() == &window_) {
    io.AddMousePosEvent(static_cast<float>(x) / scale_, static_cast<float>(y) / scale_);
  }
#else
  if (io.MousePos.x > -FLT_MAX) {
    io.MousePos = {io.MousePos.x / scale_, io.MousePos.y / scale_};
  }
#endif
}

void Gui::end_frame() {
  use();
  ImGui::Render();
  renderable_ = true;
}

void Gui::render() {
  if (!renderable_) return;
  use();
  if (const ImDrawData* data = ImGui::GetDrawData()) renderer_.render(*data);
}

void Gui::render_part(const Rectangle& units) {
  if (!renderable_) return;
  use();
  if (const ImDrawData* data = ImGui::GetDrawData()) renderer_.render_part(*data, units);
}

void Gui::render_part_again(const Rectangle& units) {
  if (!renderable_) return;
  use();
  if (const ImDrawData* data = ImGui::GetDrawData()) renderer_.render_part_again(*data, units);
}

void Gui::same_but_for(std::span<const Rectangle> changed) {
  if (!renderable_) return;
  use();
  if (const ImDrawData* data = ImGui::GetDrawData()) renderer_.same_but_for(*data, changed);
}

void Gui::reload_textures() {
  use();
  renderable_ = false;
  if (font_scale_ > 0) renderer_.load_fonts();
}

}  // namespace qvid::ui
