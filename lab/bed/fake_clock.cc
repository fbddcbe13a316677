#include "lab/bed/fake_clock.h"

#include <fstream>
#include <utility>

namespace qvid::lab {
namespace {

namespace fs = std::filesystem;

// Empty: it is not installed.
std::string faketime_library() {
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"}) {
    std::string library = std::string(folder) + "/faketime/libfaketimeMT.so.1";
    if (fs::exists(library)) return library;
  }
  return {};
}

}  // namespace

FakeClock::FakeClock(fs::path folder) : folder_(std::move(folder)) { set("+0"); }

bool FakeClock::is_installed() { return !faketime_library().empty(); }

void FakeClock::set(const std::string& difference) const {
  std::ofstream(folder_ / "next") << difference << "\n";
  fs::rename(folder_ / "next", folder_ / "clock");
}

std::vector<std::string> FakeClock::environment() const {
  return {"LD_PRELOAD=" + faketime_library(),
          "FAKETIME_TIMESTAMP_FILE=" + (folder_ / "clock").string(),
          "FAKETIME_NO_CACHE=1",
          "DONT_FAKE_MONOTONIC=1",
          "FAKETIME_DONT_FAKE_MONOTONIC=1",
          "ASAN_OPTIONS=verify_asan_link_order=0"};
}

}  // namespace qvid::lab
