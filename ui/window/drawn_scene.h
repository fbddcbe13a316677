// What a window has drawn last, so that it draws again only what looks another way.
//
//   is_news(scene, due, by_imgui) -> true: draw it
//
// A scene is all that a drawing shows but for its pictures. What ImGui lays out by itself is right
// at the second drawing: then two more follow. Pure.
#pragma once

#include <utility>

namespace qvid::ui {

template <class Scene>
class DrawnScene {
 public:
  // Keeps the scene. `due`: drawn whatever it is, for a picture or for input. `by_imgui`: windows of
  // ImGui's are in it.
  bool is_news(Scene scene, bool due, bool by_imgui) {
    const bool news = due || scene != scene_;
    before_ = std::exchange(scene_, std::move(scene));
    if (!news) return again_ > 0 && again_-- > 0;
    again_ = by_imgui ? 2 : 0;
    return true;
  }
  const Scene& scene() const { return scene_; }
  // The one that is_news() was given the time before.
  const Scene& before() const { return before_; }

 private:
  Scene before_{};
  Scene scene_{};
  int again_ = 0;  // drawings that are still to come
};

}  // namespace qvid::ui
