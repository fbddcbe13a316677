// The command line's library, for headers that only name it: to include all of it costs 6 s.
#pragma once

namespace CLI {
class App;
class Error;  // NOLINT(bugprone-forward-declaration-namespace): not qvid::Error
class Option;
}  // namespace CLI
