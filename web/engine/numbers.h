// Numbers of what the browser is asked for: never the same twice in a page, so that an answer to what
// is over meets nobody. Thread: the worker's.
#pragma once

namespace qvid::web {

inline int next_number() {
  static int last = 0;
  return ++last;
}

}  // namespace qvid::web
