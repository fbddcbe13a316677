// A file descriptor that is closed with its owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace qvid {

class OwnedFile {
 public:
  OwnedFile() = default;
  explicit OwnedFile(int number) : number_(number) {}
  ~OwnedFile() {
    if (number_ >= 0) ::close(number_);
  }
  OwnedFile(OwnedFile&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OwnedFile& operator=(OwnedFile&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int get() const { return number_; }  // -1: none

 private:
  int number_ = -1;
};

}  // namespace qvid
