// The video files under one folder, and only those: which there are, and where one is.
//
// A name is a path relative to the folder, as in a URL. Whatever dots, links or absolute paths it
// goes through, what lies outside is not there.
//
// Listing: one thread of its own walks the folder when somebody asks and what it knows is older
// than kFreshFor, and looks into each file that is new or has changed since (media::probe_stored,
// at most kProbeTimeout each). Answers are given on that thread. A request waits for the walk, at
// most kPatience and one probe; then it gets what is known, marked as not complete.
//
// Left out: what is no video, hidden files, what prepared files are being written, and a prepared
// file beside its original, which is told as prepared. Names are bytes, not always UTF-8.
//
// Bounds: kMaxFiles videos of kMaxLooks files, kMaxDepth folders deep, kMaxRequests waiting. What
// is beyond is left out, and a folder that cannot be read is too; each is warned of once. Threads:
// all calls from any; none waits for the disk but `find`, for one look-up of a path.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/stored/layered_file.h"
#include "media/stored/stored_source.h"

namespace qvid::app {

struct CatalogueEntry {
  std::string name;     // relative to the folder
  ByteCount size{};     // of the original
  Duration duration{};  // zero: unknown
  media::PictureSize picture{};
  bool prepared = false;
};

struct CataloguePage {
  std::vector<CatalogueEntry> entries;  // in order of their names' bytes
  bool more = false;                    // there are entries after these
  bool complete = true;                 // every file has been looked at
};

class FileCatalogue {
 public:
  static constexpr Duration kFreshFor = 2s;
  static constexpr Duration kPatience = 1s;
  static constexpr Duration kProbeTimeout = 2s;
  static constexpr std::size_t kMaxFiles = 10'000;
  static constexpr std::size_t kMaxLooks = 100'000;
  static constexpr int kMaxDepth = 16;
  static constexpr std::size_t kMaxRequests = 256;

  using Answer = std::function<void(CataloguePage)>;
  // `warn` is called on the catalogue's thread.
  FileCatalogue(std::filesystem::path folder, std::function<void(const std::string&)> warn);
  // Answers not given yet are not given any more.
  ~FileCatalogue();
  FileCatalogue(const FileCatalogue&) = delete;
  FileCatalogue& operator=(const FileCatalogue&) = delete;

  // The file of that name, to be opened as it is given.
  Result<std::filesystem::path> find(const std::string& name) const;

  // Entries whose names come after `after` (empty: from the first), at most `limit`. `answer` is
  // called once, on the catalogue's thread, and must not block. False, and never called, where
  // kMaxRequests wait already.
  bool list(std::string after, std::size_t limit, Answer answer);

 private:
  struct Request {
    std::string after;
    std::size_t limit = 0;
    Answer answer;
    Timestamp asked{};
  };
  // What was found in a file, as long as it and its prepared form are the same.
  struct Looked {
    media::FileIdentity file{};
    media::FileIdentity prepared{};
    bool is_video = false;
    CatalogueEntry entry;
  };
  using Entries = std::map<std::string, CatalogueEntry>;

  void run(const std::stop_token& stop);
  void walk(const std::stop_token& stop);
  void look_at(const std::filesystem::path& path, const std::string& name,
               const std::stop_token& stop);
  // To those who have waited long enough, or to all.
  void answer(bool complete);
  CataloguePage page(const Request& request, bool complete) const;
  void warn_once(const std::string& what);

  const std::filesystem::path folder_;
  const std::function<void(const std::string&)> warn_;

  std::mutex mutex_;
  std::condition_variable_any asked_;
  std::vector<Request> requests_;  // guarded by mutex_

  // Of the thread.
  std::map<std::string, Looked> looked_;  // by name; what the last walk has seen
  std::map<std::string, Looked> seen_;    // by the walk at hand
  Entries entries_;                       // of the last whole walk
  Entries found_;                         // by the walk at hand
  bool walked_ = false;
  std::set<std::string> warned_;

  std::jthread thread_;
};

// A file under `folder` as FileCatalogue::find gives it.
Result<std::filesystem::path> find_file(const std::filesystem::path& folder,
                                        const std::string& name);

}  // namespace qvid::app
