#include "media/stored/stored_source.h"

#include <optional>
#include <string>
#include <utility>

#include "media/stored/layered_file_source.h"
#include "media/stored/transcoding_source.h"
#include "media/stored/video_file.h"

namespace qvid::media {
namespace {

namespace fs = std::filesystem;

// The prepared form of `path`, where there is one that was made of it as it is now. Else the note
// says why not, if there is something to say. No comparison of ages: a file made of exactly these
// bytes is never older than they, whatever a clock says.
Result<std::unique_ptr<LayeredFileSource>> open_prepared(const fs::path& path) {
  const fs::path prepared = prepared_path(path);
  std::error_code error;
  if (!fs::exists(prepared, error)) return Error{""};
  auto source = LayeredFileSource::open(prepared);
  if (!source) return source.error();
  const auto original = identify(path);
  if (!original || (*source)->header().original != *original) {
    return Error{"the prepared video " + prepared.string() +
                 " was made of another version of its original; prepare it again"};
  }
  return source;
}

// Tells what it is of a source that was opened for another reason.
class NotedSource final : public StoredSource {
 public:
  NotedSource(std::unique_ptr<StoredSource> source, std::string note)
      : source_(std::move(source)), note_(std::move(note)) {}
  StoredInfo info() const override {
    StoredInfo info = source_->info();
    info.note = info.note.empty() ? note_ : note_ + "; " + info.note;
    return info;
  }
  Result<std::variant<CodedFrame, EndOfStream>> next(std::stop_token stop) override {
    return source_->next(std::move(stop));
  }
  std::vector<SoundPacket> take_sound() override { return source_->take_sound(); }
  Result<Duration> seek(Duration to, std::stop_token stop) override {
    return source_->seek(to, std::move(stop));
  }

 private:
  std::unique_ptr<StoredSource> source_;
  std::string note_;
};

}  // namespace

Result<std::unique_ptr<StoredSource>> open_stored_source(const fs::path& path,
                                                         const StoredOptions& options,
                                                         std::stop_token stop) {
  using Opened = Result<std::unique_ptr<StoredSource>>;
  if (is_layered_file(path)) {
    auto source = LayeredFileSource::open(path);
    return source ? Opened(*std::move(source)) : Opened(source.error());
  }
  std::string note;
  if (options.use_prepared) {
    auto prepared = open_prepared(path);
    if (prepared) return Opened(*std::move(prepared));
    note = prepared.error().message;
  }
  auto source = TranscodingSource::open(path, options, std::move(stop));
  if (!source) return source.error();
  if (note.empty()) return Opened(*std::move(source));
  return Opened(std::make_unique<NotedSource>(*std::move(source), std::move(note)));
}

Result<StoredInfo> probe_stored(const fs::path& path, Duration timeout, std::stop_token stop) {
  if (is_layered_file(path)) {
    const auto source = LayeredFileSource::open(path);
    return source ? Result<StoredInfo>((*source)->info()) : Result<StoredInfo>(source.error());
  }
  auto prepared = open_prepared(path);
  if (prepared) return (*prepared)->info();
  const auto file = VideoFile::open(fs::absolute(path).string(), {}, std::move(stop), timeout);
  if (!file) return file.error();
  StoredInfo info;
  info.rate = regulated_rate((*file)->nominal_rate());
  info.size = (*file)->size();
  info.duration = (*file)->duration();
  info.note = prepared.error().message;
  return info;
}

}  // namespace qvid::media
