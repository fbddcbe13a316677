#include "tests/e2e/shared_picture.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <variant>

#include "media/source/video_source.h"
#include "tests/e2e/process.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

Seen last_of(const std::string& file) {
  auto source = qvid::media::open_source({qvid::media::SourceSpec::Kind::kFile, file}, {}, {});
  if (!source) return {};
  Seen seen;
  seen.size = (*source)->size();
  for (;;) {
    auto got = (*source)->read({});
    const auto* frame = got ? std::get_if<qvid::media::VideoFrame>(&*got) : nullptr;
    if (frame == nullptr) return seen;
    const auto at = [&](int x, int y) {
      const auto of = [&](std::size_t plane, int column, int row) {
        return int{frame->planes[plane].data[row * frame->planes[plane].stride + column]};
      };
      return Colour{of(0, x, y), of(1, x / 2, y / 2), of(2, x / 2, y / 2)};
    };
    seen.middle = at(frame->size.width / 2, frame->size.height / 2);
    seen.edge = at(4, frame->size.height / 2);
    seen.top = at(frame->size.width / 2, 4);
    ++seen.pictures;
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Colour& colour) {
  return out << colour.y << " " << colour.u << " " << colour.v;
}

bool near(const Colour& a, const Colour& b) {
  return std::abs(a.y - b.y) <= 4 && std::abs(a.u - b.u) <= 4 && std::abs(a.v - b.v) <= 4;
}

Seen shared_picture(const std::string& link, const std::string& name,
                    const std::function<bool(const Seen&)>& is_wanted) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const qvid::TemporaryFolder folder;
    Process one({program(), "record", link, name, "-o", (folder / "one.mkv").string(), "--insecure",
                 "-d", "2"});
    one.wait();
    const Seen seen = last_of((folder / "one-share.mkv").string());
    if (is_wanted(seen)) return seen;
    if (std::chrono::steady_clock::now() >= until) {
      ADD_FAILURE() << "it was not seen: " << one.log();
      return seen;
    }
  }
}

}  // namespace e2e
