// One decoder process as its program sees it: started, asked, killed at the end.
//
// Thread: one at a time.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/codec/process/decoder_talk.h"
#include "media/codec/process/shared_pictures.h"

namespace qvid::media {

class RunningDecoder {
 public:
  // Does not wait for it. `arguments`: with the program's name in front.
  static Result<std::unique_ptr<RunningDecoder>> start(const std::string& program,
                                                       const std::vector<std::string>& arguments);
  ~RunningDecoder();
  RunningDecoder(const RunningDecoder&) = delete;
  RunningDecoder& operator=(const RunningDecoder&) = delete;

  // What it says first, in the time there is. After an Error, which says what became of it, it has
  // ended.
  Result<DecoderReady> wait_until_ready(Duration limit);
  // The same of a request. An answer may take up to twice `limit`.
  Result<DecoderAnswer> ask(std::span<const std::byte> request, Duration limit);

  // It may use so much more processor time from now on, to the second: at that it is ended by the
  // kernel, also where this program has gone without ending it.
  void allow_cpu(Duration more) const;

  const std::shared_ptr<PictureRegion>& pictures() const { return pictures_; }
  ByteCount picture_memory() const { return resident(file_.get()); }

 private:
  RunningDecoder(OwnedFile socket, OwnedFile file, std::shared_ptr<PictureRegion> pictures)
      : socket_(std::move(socket)), file_(std::move(file)), pictures_(std::move(pictures)) {}

  const char* send_all(std::span<const std::byte> bytes, Timestamp until);
  Result<DecoderAnswer> receive(Duration limit);
  void set_limit(Duration limit);
  // Ends it, and says how it has ended: `why` where it had to be killed.
  Error ended(const std::string& why);
  std::optional<int> end();

  OwnedFile socket_;
  OwnedFile file_;
  std::shared_ptr<PictureRegion> pictures_;
  Duration limit_{};  // of a call on the socket
  pid_t pid_ = -1;    // -1: has ended
};

}  // namespace qvid::media
