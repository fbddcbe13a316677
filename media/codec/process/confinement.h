// Gives up what a decoder does not need, for ever: seccomp(2), setrlimit(2), prctl(2).
//
// What is left: memory, time, the sockets and memory that are open. No file, socket or process can be
// opened, started, signalled or looked at; whatever is asked of the kernel beyond that fails with
// EPERM. No memory becomes code. At most kMostHeap of memory of its own (not under sanitizers, which
// map more than that), no core file.
#pragma once

#include <optional>

#include "base/result.h"
#include "base/units.h"

namespace qvid::media {

// Beside the pictures, which lie in shared memory: libavcodec keeps about a third of their size of a
// 4096x4096 stream with 16 references.
inline constexpr ByteCount kMostHeap{std::int64_t{512} * 1024 * 1024};

// Precondition: this process has one thread. Nothing: it holds; else what does not.
std::optional<Error> confine_this_process();

}  // namespace qvid::media
