// Shows that what ImGui lays out is drawn to the pixel, where SDL draws on the processor too.
#include "ui/window/imgui_renderer.h"

#include <SDL.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
#include <vector>

#include "ui/window/paint.h"

namespace qvid::ui {
namespace {

class ImGuiRendererTest : public testing::Test {
 protected:
  using Pixel = std::array<std::uint8_t, 3>;
  static constexpr int kSide = 64;

  void SetUp() override {
    surface_.reset(SDL_CreateRGBSurfaceWithFormat(0, kSide, kSide, 32, SDL_PIXELFORMAT_ARGB8888));
    if (surface_) sdl_.reset(SDL_CreateSoftwareRenderer(surface_.get()));
    if (!sdl_) GTEST_SKIP() << "this SDL has no software renderer: " << SDL_GetError();
    context_ = ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;  // it would be written here
    renderer_.emplace(*sdl_);
    ASSERT_TRUE(renderer_->load_fonts());
  }
  void TearDown() override {
    renderer_.reset();
    if (context_ != nullptr) ImGui::DestroyContext(context_);
  }

  // On black.
  void draw(const std::function<void(ImDrawList&)>& what, float scale = 1) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {kSide / scale, kSide / scale};
    io.DisplayFramebufferScale = {scale, scale};
    io.DeltaTime = 1;
    ImGui::NewFrame();
    what(*ImGui::GetBackgroundDrawList());
    ImGui::Render();
    SDL_SetRenderDrawColor(sdl_.get(), 0, 0, 0, SDL_ALPHA_OPAQUE);
    SDL_RenderClear(sdl_.get());
    renderer_->render(*ImGui::GetDrawData());
  }
  Pixel at(int x, int y) {
    Pixel rgb{};
    const SDL_Rect one{x, y, 1, 1};
    EXPECT_EQ(SDL_RenderReadPixels(sdl_.get(), &one, SDL_PIXELFORMAT_RGB24, rgb.data(), 3), 0);
    return rgb;
  }
  // That and nothing else is of a colour.
  void expect_only(int left, int top, int right, int bottom, Pixel color) {
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const bool inside = x >= left && x < right && y >= top && y < bottom;
        ASSERT_EQ(at(x, y), inside ? color : Pixel{}) << x << ", " << y;
      }
    }
  }

  SurfaceHandle surface_;
  RendererHandle sdl_;
  ImGuiContext* context_ = nullptr;
  std::optional<ImGuiRenderer> renderer_;
};

TEST_F(ImGuiRendererTest, ARectangleIsFilledToItsEdges) {
  draw([](ImDrawList& list) { list.AddRectFilled({5, 7}, {40, 31}, IM_COL32(200, 100, 50, 255)); });
  expect_only(5, 7, 40, 31, {200, 100, 50});
}

TEST_F(ImGuiRendererTest, AScaleHoldsForRectangles) {
  draw([](ImDrawList& list) { list.AddRectFilled({5, 7}, {20, 15}, IM_COL32(9, 8, 7, 255)); }, 2);
  expect_only(10, 14, 40, 30, {9, 8, 7});
}

TEST_F(ImGuiRendererTest, ARectangleIsClipped) {
  draw([](ImDrawList& list) {
    list.PushClipRect({10, 10}, {20, 20});
    list.AddRectFilled({0, 0}, {64, 64}, IM_COL32(1, 2, 3, 255));
    list.PopClipRect();
  });
  expect_only(10, 10, 20, 20, {1, 2, 3});
}

TEST_F(ImGuiRendererTest, WhatComesLaterLiesAbove) {
  draw([](ImDrawList& list) {
    list.AddTriangleFilled({0, 0}, {64, 0}, {0, 64}, IM_COL32(0, 0, 200, 255));
    list.AddRectFilled({8, 8}, {40, 40}, IM_COL32(200, 0, 0, 255));
    list.AddTriangleFilled({10, 10}, {38, 10}, {10, 38}, IM_COL32(0, 200, 0, 255));
  });
  EXPECT_EQ(at(4, 4), (Pixel{0, 0, 200}));
  EXPECT_EQ(at(36, 36), (Pixel{200, 0, 0}));
  EXPECT_EQ(at(14, 14), (Pixel{0, 200, 0}));
}

TEST_F(ImGuiRendererTest, WhatIsHalfTransparentIsMixed) {
  draw([](ImDrawList& list) {
    list.AddRectFilled({0, 0}, {32, 32}, IM_COL32(200, 0, 0, 255));
    list.AddRectFilled({0, 0}, {64, 64}, IM_COL32(0, 200, 0, 128));
  });
  const Pixel both = at(10, 10);
  EXPECT_NEAR(both[0], 100, 2);
  EXPECT_NEAR(both[1], 100, 2);
  const Pixel one = at(50, 50);
  EXPECT_EQ(one[0], 0);
  EXPECT_NEAR(one[1], 100, 2);
}

// Each pixel once, or a translucent ground would have stripes; at every scale the corners alone are cut.
TEST_F(ImGuiRendererTest, ARoundedGroundIsOfOneColour) {
  constexpr ImU32 kHalf = IM_COL32(255, 255, 255, 128);
  for (const float scale : {0.5f, 1.0f, 1.25f, 1.5f, 1.75f, 2.0f, 2.5f, 3.0f, 4.0f}) {
    SCOPED_TRACE(scale);
    const float left = 3 / scale, top = 5 / scale, right = 50 / scale, bottom = 40 / scale;
    draw([&](ImDrawList&) { fill_rounded({{left, top}, {right, bottom}}, kHalf); }, scale);
    const int radius = static_cast<int>(std::lround(kRounded * scale));
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const bool inside = x >= 3 && x < 50 && y >= 5 && y < 40;
        const int across = std::min(x - 3, 49 - x), down = std::min(y - 5, 39 - y);
        const bool corner = inside && across < radius && down < radius;
        const int seen = at(x, y)[0];
        if (corner) {
          ASSERT_TRUE(seen == 0 || std::abs(seen - 128) <= 1) << x << ", " << y << ": " << seen;
        } else {
          ASSERT_NEAR(seen, inside ? 128 : 0, 1) << x << ", " << y;
        }
      }
    }
    if (radius > 2) {
      EXPECT_EQ(at(3, 5)[0], 0) << "the corner";
      EXPECT_EQ(at(49, 39)[0], 0);
    }
  }
}

TEST_F(ImGuiRendererTest, ATinyRoundedGroundStaysWithinItself) {
  for (const int side : {0, 1, 2, 3, 5, -4}) {
    SCOPED_TRACE(side);
    draw([&](ImDrawList&) {
      const auto end = static_cast<float>(10 + side);
      fill_rounded({{10, 10}, {end, end}}, IM_COL32(255, 255, 255, 255));
    });
    int count = 0;
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const bool inside = x >= 10 && y >= 10 && x < 10 + side && y < 10 + side;
        if (!inside) {
          ASSERT_EQ(at(x, y), Pixel{}) << x << ", " << y;
        }
        count += at(x, y) != Pixel{} ? 1 : 0;
      }
    }
    EXPECT_EQ(count > 0, side > 0);
  }
}

struct Picture {
  SDL_Renderer* sdl;
  Uint8 level;
  int drawn;
};

void add(ImDrawList& list, Picture& one, int from, int to) {
  list.PushClipRect({static_cast<float>(from), static_cast<float>(from)},
                    {static_cast<float>(to), static_cast<float>(to)});
  list.AddCallback(
      [](const ImDrawList*, const ImDrawCmd* command) {
        auto& shown = *static_cast<Picture*>(command->UserCallbackData);
        SDL_SetRenderDrawBlendMode(shown.sdl, SDL_BLENDMODE_NONE);
        SDL_SetRenderDrawColor(shown.sdl, shown.level, 40, 200, SDL_ALPHA_OPAQUE);
        SDL_RenderFillRect(shown.sdl, nullptr);
        ++shown.drawn;
      },
      &one);
  list.PopClipRect();
}

// A picture that has another colour each time, under something translucent, opaque and round.
TEST_F(ImGuiRendererTest, WhatIsDrawnAgainIsAsIfAllWere) {
  Picture below{sdl_.get(), 0, 0};
  Picture picture{sdl_.get(), 0, 0};
  const Rectangle part{4, 4, 24, 24};
  for (const float scale : {1.0f, 2.0f}) {
    SCOPED_TRACE(scale);
    renderer_->begin_frame();
    draw(
        [&](ImDrawList& list) {
          add(list, below, 0, 30);
          list.AddRectFilled({0, 0}, {64, 64}, IM_COL32(9, 9, 9, 255));
          add(list, picture, 4, 28);
          list.AddRectFilled({6, 6}, {16, 10}, IM_COL32(0, 0, 0, 140));
          list.AddRectFilled({8, 7}, {10, 40}, IM_COL32(255, 255, 255, 255));
          list.AddCircleFilled({18, 18}, 7, IM_COL32(0, 250, 0, 255));
          list.AddRect({1, 1}, {29, 29}, IM_COL32(250, 250, 0, 255));
          list.AddText({5, 12}, IM_COL32(255, 255, 255, 255), "Ann");
        },
        scale);
    const Rectangle all{0, 0, 30, 30};
    int turn = 0;
    for (const int level : {40, 90, 170, 210, 250}) {
      picture.level = static_cast<Uint8>(level);
      renderer_->render_part_again(*ImGui::GetDrawData(), all);
      const int before = picture.drawn;
      const int below_before = below.drawn;
      renderer_->render_part_again(*ImGui::GetDrawData(), part);
      EXPECT_EQ(picture.drawn, before + 1);
      EXPECT_EQ(below.drawn, below_before + (++turn < 3 ? 1 : 0)) << "what is hidden is not drawn";
      std::vector<Pixel> again;
      for (int i = 0; i < kSide * kSide; ++i) again.push_back(at(i % kSide, i / kSide));
      renderer_->render_part(*ImGui::GetDrawData(), all);
      for (int i = 0; i < kSide * kSide; ++i) {
        const Pixel whole = at(i % kSide, i / kSide);
        for (std::size_t c = 0; c < whole.size(); ++c) {
          // A step of rounding for each thing that lies over another (pixel_layer.h).
          ASSERT_NEAR(again[static_cast<std::size_t>(i)][c], whole[c], 4)
              << i % kSide << ", " << i / kSide;
        }
      }
    }
  }
}

// The signs over the picture become others, so that it is seen which ones are drawn.
TEST_F(ImGuiRendererTest, WhatIsKeptIsKeptForTheNextFrameWhereNothingElseIsNew) {
  const Rectangle part{4, 4, 24, 24};
  const auto frame = [&](Picture& picture, ImU32 signs) {
    renderer_->begin_frame();
    draw([&](ImDrawList& list) {
      add(list, picture, 4, 28);
      list.AddRectFilled({6, 6}, {16, 10}, signs);
    });
  };
  const auto again = [&](int times) {
    for (int i = 0; i < times; ++i) renderer_->render_part_again(*ImGui::GetDrawData(), part);
    return at(8, 8);
  };
  const auto same_but_for = [&](Rectangle one) {
    renderer_->same_but_for(*ImGui::GetDrawData(), std::array{one});
  };
  constexpr ImU32 kGreen = IM_COL32(0, 255, 0, 255);
  constexpr ImU32 kRed = IM_COL32(255, 0, 0, 255);
  const Pixel green{0, 255, 0};
  const Pixel red{255, 0, 0};
  Picture first{sdl_.get(), 10, 0};
  Picture second{sdl_.get(), 90, 0};
  frame(first, kGreen);
  EXPECT_EQ(again(3), green);
  const int drawn = first.drawn;

  frame(second, kRed);
  same_but_for({30, 30, 20, 20});
  EXPECT_EQ(again(1), green) << "as it was kept";
  EXPECT_EQ(at(20, 20), (Pixel{90, 40, 200})) << "but with the picture of this frame";
  EXPECT_EQ(first.drawn, drawn);

  frame(second, kRed);
  same_but_for({20, 20, 20, 20});
  EXPECT_EQ(again(4), red);

  frame(second, kGreen);
  EXPECT_EQ(again(1), green) << "anything may be new";
  frame(second, kRed);
  same_but_for({30, 30, 20, 20});
  EXPECT_EQ(again(1), red) << "drawn once, it is not kept yet";
}

}  // namespace
}  // namespace qvid::ui
