#include "media/stored/file_in.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "media/stored/prepare.h"
#include "tests/media/clip_file.h"

namespace qvid::media {
namespace {

struct Seen {
  Duration position{};
  std::int64_t number = 0;
  std::uint64_t generation = 0;
  bool sync = false;
};

// What a FileIn has told.
class Log {
 public:
  FileIn::Callbacks callbacks() {
    return {.opened = [this](const StoredInfo& info) { note([&] { info_ = info; }); },
            .frame =
                [this](std::shared_ptr<const WireFrame> wire, std::uint64_t generation) {
                  bool sync = true;
                  for (const CodedUnit& u : wire->frame.units) sync = sync && u.is_sync_point();
                  note([&] {
                    frames_.push_back({wire->frame.due.time_since_epoch(),
                                       wire->frame.number.value(), generation, sync});
                  });
                },
            .ended = [this](std::uint64_t g) { note([&] { ended_.push_back(g); }); },
            .failed = [this](const Error& e) { note([&] { failed_ = e.message; }); }};
  }
  // A time-out is a failure: the test's own limit ends what never comes.
  template <class Condition>
  bool wait(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 30s, [&] { return condition(*this); });
  }

  std::optional<StoredInfo> info_;
  std::vector<Seen> frames_;
  std::vector<std::uint64_t> ended_;
  std::string failed_;

 private:
  template <class Change>
  void note(Change change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
};

class FileInTest : public ::testing::TestWithParam<bool> {
 protected:
  FileInTest() {
    write_clip(clip_, {.pictures = 150});
    if (GetParam()) {
      const auto prepared = prepare({.input = clip_}, {}, {});
      if (!prepared) ADD_FAILURE() << prepared.error().message;
    }
  }
  TemporaryFolder folder_;
  const std::filesystem::path clip_ = folder_ / "clip.mp4";
  const FrameRate rate_{30, 1};
};

TEST_P(FileInTest, ReadsNoFurtherThanToldTo) {
  Log log;
  FileIn in(clip_, {}, log.callbacks());
  ASSERT_TRUE(log.wait([](Log& l) { return l.info_.has_value(); }));
  EXPECT_EQ(log.info_->prepared, GetParam());
  in.read_until(rate_.time_of(9));
  ASSERT_TRUE(log.wait([](Log& l) { return l.frames_.size() >= 10; }));
  in.read_until(rate_.time_of(19));
  ASSERT_TRUE(log.wait([](Log& l) { return l.frames_.size() >= 20; }));
  // Reading on shows that nothing was read beyond: each wait would have seen more.
  in.seek(0s, 1);
  in.read_until(0s);
  ASSERT_TRUE(log.wait([](Log& l) { return l.frames_.back().generation == 1; }));
  ASSERT_EQ(log.frames_.size(), 21u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(log.frames_[i].position, rate_.time_of(static_cast<std::int64_t>(i)));
    EXPECT_EQ(log.frames_[i].generation, 0u);
  }
}

TEST_P(FileInTest, ReadsOneFrameWhereverItIs) {
  Log log;
  FileIn in(clip_, {}, log.callbacks());
  for (std::uint64_t g = 1; g <= 3; ++g) {
    in.seek(rate_.time_of(static_cast<std::int64_t>(40 * g)), g);
    in.read_one();
    ASSERT_TRUE(log.wait([&](Log& l) { return l.frames_.size() == g; }));
    EXPECT_EQ(log.frames_.back().generation, g);
  }
  // One more would have come before these.
  in.read_until(rate_.time_of(125));
  ASSERT_TRUE(log.wait([&](Log& l) { return l.frames_.back().position == rate_.time_of(125); }));
  EXPECT_EQ(log.frames_[3].position, log.frames_[2].position + rate_.frame_time());
}

TEST_P(FileInTest, GoesOnAfterTheEnd) {
  Log log;
  FileIn in(clip_, {}, log.callbacks());
  in.read_until(1h);
  ASSERT_TRUE(log.wait([](Log& l) { return l.ended_.size() == 1; }));
  EXPECT_EQ(log.frames_.size(), 150u);
  in.seek(rate_.time_of(140), 7);
  in.read_until(1h);
  ASSERT_TRUE(log.wait([](Log& l) { return l.ended_.size() == 2; }));
  EXPECT_EQ(log.ended_, (std::vector<std::uint64_t>{0, 7}));
  EXPECT_EQ(log.frames_[150].generation, 7u);
  EXPECT_TRUE(log.frames_[150].sync);
  EXPECT_LE(log.frames_[150].position, rate_.time_of(140));
  EXPECT_GT(log.frames_[150].position, rate_.time_of(140) - 1s);
  EXPECT_EQ(log.frames_.back().position, rate_.time_of(149));
  for (std::size_t i = 0; i < log.frames_.size(); ++i) {
    EXPECT_EQ(log.frames_[i].number, static_cast<std::int64_t>(i));
  }
}

TEST_P(FileInTest, TheLatestSeekWins) {
  Log log;
  FileIn in(clip_, {}, log.callbacks());
  in.read_until(1h);
  for (std::uint64_t g = 1; g <= 50; ++g) {
    in.seek(rate_.time_of(static_cast<std::int64_t>(g * 37 % 150)), g);
    in.read_until(1h);
    if (g % 7 == 0) log.wait([&](Log& l) { return l.frames_.size() > g; });
  }
  ASSERT_TRUE(log.wait([](Log& l) { return !l.ended_.empty() && l.ended_.back() == 50; }));
  // Generations rise; each begins at a synchronisation point and goes on without a gap.
  for (std::size_t i = 0; i < log.frames_.size(); ++i) {
    const Seen& frame = log.frames_[i];
    if (i == 0 || frame.generation != log.frames_[i - 1].generation) {
      EXPECT_TRUE(frame.sync);
      if (i == 0) continue;
      EXPECT_GT(frame.generation, log.frames_[i - 1].generation);
    } else {
      EXPECT_NEAR(to_ms(frame.position - log.frames_[i - 1].position), 33.3, 0.1);
    }
  }
  EXPECT_EQ(log.frames_.back().position, rate_.time_of(149));
}

TEST_P(FileInTest, EndsInTheMiddleOfAnything) {
  for (int i = 0; i < 20; ++i) {
    Log log;
    FileIn in(clip_, {}, log.callbacks());
    if (i % 2 == 0) in.read_until(1h);
    if (i % 3 == 0) in.seek(4s, 1);
    if (i % 5 == 0) log.wait([](Log& l) { return l.info_.has_value(); });
  }
}

INSTANTIATE_TEST_SUITE_P(Files, FileInTest, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "Prepared" : "AsItIs"; });

TEST(FileInErrors, SaysWhyAFileCannotBeRead) {
  const TemporaryFolder folder;
  Log log;
  FileIn in(folder / "none.mp4", {}, log.callbacks());
  ASSERT_TRUE(log.wait([](Log& l) { return !l.failed_.empty(); }));
  EXPECT_NE(log.failed_.find("there is no file"), std::string::npos);
  in.seek(1s, 1);  // of no effect
  in.read_until(1s);
}

}  // namespace
}  // namespace qvid::media
