#include "app/serve/file_catalogue.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "app/options/url.h"
#include "base/clock.h"
#include "base/text.h"

namespace qvid::app {
namespace {

namespace fs = std::filesystem;

// Neither hidden nor half written.
bool is_listed(const std::string& file_name) {
  const std::string unfinished =
      std::string(media::kPreparedExtension) + media::kUnfinishedExtension;
  return !file_name.starts_with('.') && !file_name.ends_with(unfinished);
}

}  // namespace

// Only what lies under the folder, whatever dots or links the name goes through.
Result<fs::path> find_file(const fs::path& folder, const std::string& name) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  // A name with a zero byte would be looked up as the part before it.
  const bool sound = !error && name.find('\0') == std::string::npos;
  const fs::path file = sound ? fs::canonical(root / name, error) : fs::path();
  const auto [end, below] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  const bool within = sound && !error && end == root.end();
  // What is not listed is not served either, by whatever link it is named.
  const bool shown = within && std::all_of(below, file.end(), [](const fs::path& part) {
                       return is_listed(part.string());
                     });
  if (!shown || !fs::is_regular_file(file, error)) {
    return Error{"there is no file '" + escaped(name) + "' here"};
  }
  return file;
}

FileCatalogue::FileCatalogue(fs::path folder, std::function<void(const std::string&)> warn)
    : folder_(std::move(folder)),
      warn_(std::move(warn)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

FileCatalogue::~FileCatalogue() = default;

Result<fs::path> FileCatalogue::find(const std::string& name) const {
  return find_file(folder_, name);
}

bool FileCatalogue::list(std::string after, std::size_t limit, Answer answer) {
  const std::lock_guard lock(mutex_);
  if (requests_.size() >= kMaxRequests) return false;
  requests_.push_back({std::move(after), limit, std::move(answer), steady_now()});
  asked_.notify_all();
  return true;
}

void FileCatalogue::run(const std::stop_token& stop) {
  Timestamp fresh_until{};
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      asked_.wait(lock, stop, [this] { return !requests_.empty(); });
    }
    if (stop.stop_requested()) return;
    if (!walked_ || steady_now() >= fresh_until) {
      walk(stop);
      if (stop.stop_requested()) return;
      fresh_until = steady_now() + kFreshFor;
    }
    answer(true);
  }
}

void FileCatalogue::walk(const std::stop_token& stop) {
  found_.clear();
  seen_.clear();
  std::size_t looks = 0;
  std::error_code error;
  const fs::path root = fs::canonical(folder_, error);
  std::vector<std::pair<fs::path, int>> folders;
  if (error) {
    warn_once("the folder " + folder_.string() + " cannot be read: " + error.message());
  } else {
    folders.emplace_back(root, 0);
  }
  while (!folders.empty()) {
    const auto [folder, depth] = std::move(folders.back());
    folders.pop_back();
    fs::directory_iterator entry(folder, error);
    if (error) {
      warn_once("the folder " + folder.string() + " cannot be read: " + error.message());
      continue;
    }
    for (; entry != fs::directory_iterator(); entry.increment(error)) {
      if (stop.stop_requested()) return;
      answer(false);
      if (!is_listed(entry->path().filename().string())) continue;
      // A link to a folder is not followed: it may lead out, or round in a circle.
      if (entry->is_directory(error) && !entry->is_symlink(error)) {
        if (depth + 1 < kMaxDepth) folders.emplace_back(entry->path(), depth + 1);
        continue;
      }
      if (found_.size() >= kMaxFiles || ++looks > kMaxLooks) {
        warn_once("there are more files under " + folder_.string() + " than are listed");
        folders.clear();
        break;
      }
      const std::string name = entry->path().lexically_relative(root).string();
      if (name.size() <= kMaxName && find(name)) look_at(entry->path(), name, stop);
    }
  }
  if (stop.stop_requested()) return;
  looked_ = std::exchange(seen_, {});
  entries_ = std::exchange(found_, {});
  walked_ = true;
}

void FileCatalogue::look_at(const fs::path& path, const std::string& name,
                            const std::stop_token& stop) {
  std::error_code error;
  // Told with its original; without one it is a video of its own.
  if (path.extension() == media::kPreparedExtension) {
    fs::path beside = path;
    beside.replace_extension();
    if (fs::is_regular_file(beside, error)) return;
  }
  const auto file = media::identify(path);
  if (!file) return;
  const auto prepared = media::identify(media::prepared_path(path)).value_or(media::FileIdentity{});
  auto known = looked_.extract(name);
  if (!known.empty() && known.mapped().file == *file && known.mapped().prepared == prepared) {
    if (known.mapped().is_video) found_[name] = known.mapped().entry;
    seen_.insert(std::move(known));
    return;
  }
  Looked looked{.file = *file, .prepared = prepared, .is_video = false, .entry = {}};
  if (const auto info = media::probe_stored(path, kProbeTimeout, stop)) {
    looked.is_video = true;
    looked.entry = {.name = name,
                    .size = ByteCount(static_cast<std::int64_t>(file->size)),
                    .duration = info->duration,
                    .picture = info->size,
                    .prepared = info->prepared};
    found_[name] = looked.entry;
  }
  if (!stop.stop_requested()) seen_[name] = std::move(looked);
}

void FileCatalogue::answer(bool complete) {
  const Timestamp now = steady_now();
  std::vector<Request> ready;
  {
    const std::lock_guard lock(mutex_);
    const auto waits = [&](const Request& r) { return !complete && now - r.asked < kPatience; };
    const auto first = std::stable_partition(requests_.begin(), requests_.end(), waits);
    std::move(first, requests_.end(), std::back_inserter(ready));
    requests_.erase(first, requests_.end());
  }
  for (const Request& request : ready) request.answer(page(request, complete));
}

CataloguePage FileCatalogue::page(const Request& request, bool complete) const {
  // Before a walk is whole, what the last one found is nearer the truth than half of this one.
  const Entries& entries = complete || walked_ ? entries_ : found_;
  CataloguePage page{.entries = {}, .more = false, .complete = complete};
  auto next = request.after.empty() ? entries.begin() : entries.upper_bound(request.after);
  for (; next != entries.end() && page.entries.size() < request.limit; ++next) {
    page.entries.push_back(next->second);
  }
  page.more = next != entries.end();
  return page;
}

void FileCatalogue::warn_once(const std::string& what) {
  // Whoever fills a disk with folders that cannot be read does not fill this.
  constexpr std::size_t kMostWarnings = 100;
  if (warned_.size() < kMostWarnings && warned_.insert(what).second && warn_) {
    warn_(printable(what));
  }
}

}  // namespace qvid::app
