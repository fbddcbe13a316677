// An X server of the test's own, without a screen, on a display number that it chooses itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/process.h"

namespace e2e {

class Display {
 public:
  explicit Display(const std::string& size = "640x480");
  const std::string& name() const { return name_; }  // ":7"; empty: it did not start
  void kill();

 private:
  Process xvfb_;
  std::string name_;
};

// Null: there is no Xvfb here.
std::unique_ptr<Display> open_display(const std::string& size = "640x480");
// What a program needs to show itself there.
std::vector<std::string> on(const Display& display);

}  // namespace e2e
