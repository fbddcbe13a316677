#include "app/serve/file_catalogue.h"

#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "media/stored/prepare.h"
#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

namespace fs = std::filesystem;

// A folder with a folder of videos in it, so that there is something outside.
class FileCatalogueTest : public ::testing::Test {
 protected:
  FileCatalogueTest() { fs::create_directories(folder_ / "sub"); }

  // Ten pictures at ten a second.
  static void write_clip(const fs::path& path, int width = 64) {
    std::ofstream out(path, std::ios::binary);
    out << "YUV4MPEG2 W" << width << " H48 F10:1 Ip A1:1 C420jpeg\n";
    for (int i = 0; i < 10; ++i) {
      out << "FRAME\n" << std::string(static_cast<std::size_t>(width * 48 * 3 / 2), '\x80');
    }
  }
  static void write_text(const fs::path& path) { std::ofstream(path) << "just words"; }

  CataloguePage list(FileCatalogue& catalogue, const std::string& after = "",
                     std::size_t limit = 100) {
    // Until every file has been looked at, as a client would that shows what there is so far.
    for (;;) {
      std::promise<CataloguePage> promise;
      auto got = promise.get_future();
      EXPECT_TRUE(catalogue.list(after, limit,
                                 [&](CataloguePage page) { promise.set_value(std::move(page)); }));
      auto page = got.get();
      if (page.complete) return page;
    }
  }
  static std::vector<std::string> names(const CataloguePage& page) {
    std::vector<std::string> names;
    for (const CatalogueEntry& entry : page.entries) names.push_back(entry.name);
    return names;
  }
  static std::function<void(const std::string&)> into(std::vector<std::string>& warnings) {
    return [&warnings](const std::string& text) { warnings.push_back(text); };
  }

  const TemporaryFolder top_;
  const fs::path folder_ = top_ / "videos";
};

using Names = std::vector<std::string>;

TEST_F(FileCatalogueTest, FindsWhatLiesUnderTheFolderAndNothingElse) {
  write_text(folder_ / "sub" / "a b.mkv");
  write_text(top_ / "secret");
  fs::create_symlink("../secret", folder_ / "link");
  fs::create_symlink("..", folder_ / "up");
  fs::create_symlink("sub/a b.mkv", folder_ / "inside");
  const auto is_found = [&](const std::string& name) {
    return static_cast<bool>(find_file(folder_, name));
  };
  EXPECT_TRUE(is_found("sub/a b.mkv"));
  EXPECT_TRUE(is_found("sub/../sub/./a b.mkv"));
  EXPECT_TRUE(is_found("inside"));
  EXPECT_EQ(find_file(folder_, "inside")->filename(), "a b.mkv");
  for (const char* name : {"", ".", "sub", "none", "../secret", "link", "up/secret",
                           "sub/../../secret", "/etc/passwd", "up", "..", "//"}) {
    EXPECT_FALSE(is_found(name)) << name;
  }
  EXPECT_FALSE(is_found((top_ / "secret").string()));
  EXPECT_FALSE(is_found(std::string("inside\0x", 8)));
  // What is not listed.
  write_text(folder_ / ".hidden.mkv");
  write_text(folder_ / ".git" / "config");
  write_text(folder_ / "b.mkv.qvid.part");
  fs::create_symlink(".hidden.mkv", folder_ / "seen.mkv");
  for (const char* name :
       {".hidden.mkv", ".git/config", "sub/../.git/config", "b.mkv.qvid.part", "seen.mkv"}) {
    EXPECT_FALSE(is_found(name)) << name;
  }
  // A folder whose name begins like ours is another one.
  fs::create_directories(top_ / "videos2");
  write_text(top_ / "videos2" / "c");
  EXPECT_FALSE(is_found("../videos2/c"));
  const auto error = find_file(folder_, "a\nb");
  EXPECT_EQ(error.error().message, "there is no file 'a%0Ab' here");
}

TEST_F(FileCatalogueTest, ListsTheVideosInOrderOfName) {
  write_clip(folder_ / "b.y4m");
  write_clip(folder_ / "sub" / "c.y4m", 32);
  write_clip(folder_ / "a.y4m");
  write_clip(folder_ / ".hidden.y4m");
  write_clip(folder_ / "b.y4m.qvid.part");
  write_text(folder_ / "notes.txt");
  FileCatalogue catalogue(folder_, {});
  const auto all = list(catalogue);
  EXPECT_EQ(names(all), (Names{"a.y4m", "b.y4m", "sub/c.y4m"}));
  EXPECT_FALSE(all.more);
  EXPECT_EQ(all.entries[2].picture, (media::PictureSize{32, 48}));
  EXPECT_EQ(all.entries[0].picture, (media::PictureSize{64, 48}));
  EXPECT_NEAR(to_seconds(all.entries[0].duration), 1.0, 0.11);
  EXPECT_EQ(all.entries[0].size.size(), fs::file_size(folder_ / "a.y4m"));
  EXPECT_FALSE(all.entries[0].prepared);

  const auto first = list(catalogue, "", 2);
  EXPECT_EQ(names(first), (Names{"a.y4m", "b.y4m"}));
  EXPECT_TRUE(first.more);
  const auto rest = list(catalogue, "b.y4m", 2);
  EXPECT_EQ(names(rest), (Names{"sub/c.y4m"}));
  EXPECT_FALSE(rest.more);
  EXPECT_EQ(names(list(catalogue, "aa", 1)), (Names{"b.y4m"}));
  EXPECT_EQ(names(list(catalogue, "z", 1)), Names{});
}

TEST_F(FileCatalogueTest, HidesAPreparedFileBesideItsOriginal) {
  write_clip(folder_ / "a.y4m");
  write_clip(folder_ / "b.y4m");
  ASSERT_TRUE(media::prepare({.input = folder_ / "a.y4m"}, {}, {}));
  ASSERT_TRUE(
      media::prepare({.input = folder_ / "b.y4m", .output = folder_ / "alone.qvid"}, {}, {}));
  FileCatalogue catalogue(folder_, {});
  const auto page = list(catalogue);
  EXPECT_EQ(names(page), (Names{"a.y4m", "alone.qvid", "b.y4m"}));
  EXPECT_TRUE(page.entries[0].prepared);
  EXPECT_EQ(page.entries[0].duration, 1s);
  EXPECT_TRUE(page.entries[1].prepared);
  EXPECT_FALSE(page.entries[2].prepared);
}

TEST_F(FileCatalogueTest, DoesNotFollowFoldersOut) {
  write_clip(top_ / "outside.y4m");
  write_clip(folder_ / "a.y4m");
  fs::create_symlink("..", folder_ / "up");
  fs::create_symlink(".", folder_ / "round");
  fs::create_symlink("../outside.y4m", folder_ / "link.y4m");
  fs::create_symlink("a.y4m", folder_ / "same.y4m");
  FileCatalogue catalogue(folder_, {});
  EXPECT_EQ(names(list(catalogue)), (Names{"a.y4m", "same.y4m"}));
}

TEST_F(FileCatalogueTest, GoesNoDeeperThanItsBound) {
  fs::path deep = folder_;
  for (int i = 1; i < FileCatalogue::kMaxDepth; ++i) deep /= "d";
  fs::create_directories(deep / "d");
  write_clip(deep / "in.y4m");
  write_clip(deep / "d" / "out.y4m");
  FileCatalogue catalogue(folder_, {});
  const auto page = list(catalogue);
  ASSERT_EQ(page.entries.size(), 1u);
  EXPECT_TRUE(page.entries[0].name.ends_with("d/in.y4m"));
}

TEST_F(FileCatalogueTest, SaysThatAFolderCannotBeRead) {
  std::vector<std::string> warnings;
  {
    FileCatalogue catalogue(top_ / "none", into(warnings));
    EXPECT_TRUE(list(catalogue).entries.empty());
    EXPECT_TRUE(list(catalogue).entries.empty());
  }
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("cannot be read"), std::string::npos);
}

TEST_F(FileCatalogueTest, AnswersAllWhoAsk) {
  write_clip(folder_ / "a.y4m");
  FileCatalogue catalogue(folder_, {});
  std::vector<std::future<CataloguePage>> answers;
  for (int i = 0; i < 50; ++i) {
    auto promise = std::make_shared<std::promise<CataloguePage>>();
    answers.push_back(promise->get_future());
    ASSERT_TRUE(catalogue.list(
        "", 10, [promise](CataloguePage page) { promise->set_value(std::move(page)); }));
  }
  for (auto& answer : answers) {
    const CataloguePage page = answer.get();
    EXPECT_TRUE(!page.complete || names(page) == Names{"a.y4m"});
  }
}

TEST_F(FileCatalogueTest, BoundsWhoWaits) {
  write_clip(folder_ / "a.y4m");
  std::promise<void> go;
  std::promise<void> held;
  std::size_t taken = 0;
  {
    FileCatalogue catalogue(folder_, {});
    // The catalogue's thread is kept busy, so that the rest must wait.
    ASSERT_TRUE(catalogue.list("", 1, [&](const CataloguePage&) {
      held.set_value();
      go.get_future().wait();
    }));
    held.get_future().wait();
    while (taken <= FileCatalogue::kMaxRequests &&
           catalogue.list("", 1, [](const CataloguePage&) {})) {
      ++taken;
    }
    go.set_value();
  }
  EXPECT_EQ(taken, FileCatalogue::kMaxRequests);
}

}  // namespace
}  // namespace qvid::app
