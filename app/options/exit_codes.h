// How `qvid` ends; listed in `qvid --help`.
#pragma once

namespace qvid::app {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailure = 1,      // started, but did not do what was asked (nothing was shown, say)
  kExitUsage = 2,        // the command line is wrong
  kExitUnreachable = 3,  // no connection
  kExitRefused = 4,      // the other end is not willing, or speaks something else
};

}  // namespace qvid::app
