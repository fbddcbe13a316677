// A FIFO of a test, for what a program under test reads.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "tests/temporary_folder.h"

namespace e2e {

// A FIFO, of which this end writes.
class TemporaryPipe {
 public:
  TemporaryPipe() { EXPECT_EQ(::mkfifo(path().c_str(), 0600), 0); }
  ~TemporaryPipe() {
    if (fd_ >= 0) ::close(fd_);
  }
  TemporaryPipe(const TemporaryPipe&) = delete;
  TemporaryPipe& operator=(const TemporaryPipe&) = delete;

  std::string path() const { return (folder_ / "pipe").string(); }
  // Waits for who reads.
  void open() { fd_ = ::open(path().c_str(), O_WRONLY | O_CLOEXEC); }
  void write(const std::string& text) {
    EXPECT_EQ(::write(fd_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

 private:
  qvid::TemporaryFolder folder_;
  int fd_ = -1;
};

}  // namespace e2e
