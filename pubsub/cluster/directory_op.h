// What a Directory asks of its store, and what becomes of it.
#pragma once

#include <cstdint>
#include <string>

namespace qps {

// To the store; each is answered once by on_outcome with its id, after a time limit by kFailed.
struct DirectoryOp {
  enum class Kind : std::uint8_t { kCreate, kUpdate, kRemove };
  std::uint64_t id = 0;
  Kind kind = Kind::kCreate;
  std::string key;
  std::string value;
  std::uint64_t revision = 0;  // that the key has: update, remove
};
enum class DirectoryOutcome : std::uint8_t {
  kDone,
  kConflict,  // the key has another revision, or is there
  kFailed,    // no answer: it may have been done or not
};

}  // namespace qps
