// Decoders in processes of their own, one a stream: what strangers send is decoded where there is
// neither camera nor token nor file.
//
//   decode thread                                    decoder process (decoder_child.h)
//   Decoder::decode --- request: header, units --->  make_decoder's, after it has given up all rights
//                  <--- answer: where it lies ----     | pictures
//   VideoFrame <---------- shared memory <-------------+         (shared_pictures.h)
//
// The process is this program once more, by a word on its command line, without environment or open
// files. What it says is believed by no word (decoder_talk.h), and it says in time or it is killed.
//
// One that ended, did not answer, or answered what cannot be, is started again for the next frame:
// the stream goes on from its next synchronisation point. One more is always ready, so nobody waits
// for a start. A stream that ends kRestarts in a row waits for the next.
//
// Bounds, of a process: kMostHeap and kPictureRegion of memory; of what the pictures of all take,
// PictureMemory::kMost; processor time: kMostCpu while this program does not renew it; a request at a
// time; kMostPicturesOut.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/token_bucket.h"
#include "base/units.h"
#include "media/codec/decoder.h"

namespace qvid::media {

struct DecoderProcessOptions {
  // Must call run_decoder_process, first of all.
  std::string program = "/proc/self/exe";
  std::vector<std::string> arguments = {};  // behind its name; empty: kDecoderProcessCommand
  // What a person should know, in a sentence; on decode threads, and in `make`.
  std::function<void(const std::string&)> on_notice = [](const std::string&) {};
  Duration answer_limit = std::chrono::seconds(2);
  Duration start_limit = std::chrono::seconds(10);
};

class DecoderProcesses {
 public:
  static constexpr TokenRate kRestarts{.per_second = 0.2, .burst = 3};  // of a stream
  static constexpr Duration kMostCpu = std::chrono::seconds(10);

  // Nothing is started before the first decoder is made.
  explicit DecoderProcesses(DecoderProcessOptions options);

  // As make_decoder. The Error says what could not be started, and what to do. A decoder may outlive
  // this; its pictures may outlive it. Any thread.
  Result<std::unique_ptr<Decoder>> make(std::string_view codec);

 private:
  class Starter;
  class RemoteDecoder;

  std::shared_ptr<Starter> starter_;
};

}  // namespace qvid::media
