// A wall clock of programs that is put elsewhere while they run, by libfaketime, which reads the
// difference from a file. The steady clock goes on as it does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace qvid::lab {

class FakeClock {
 public:
  // As the machine's. Its file is in that folder, which outlives this.
  explicit FakeClock(std::filesystem::path folder);

  static bool is_installed();
  // From now on: "+1h", "-2d", against the machine's.
  void set(const std::string& difference) const;
  // Of a program that has this clock: "NAME=value".
  std::vector<std::string> environment() const;

 private:
  const std::filesystem::path folder_;
};

}  // namespace qvid::lab
