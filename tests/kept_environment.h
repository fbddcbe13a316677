// Variables of the environment that a test is without, or sets as it likes: put back afterwards.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qvid {

class KeptEnvironment {
 public:
  // From now on they are not set.
  KeptEnvironment(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      const char* const value = std::getenv(name);
      before_.emplace_back(name,
                           value == nullptr ? std::nullopt : std::optional(std::string(value)));
      ::unsetenv(name);
    }
  }
  ~KeptEnvironment() {
    for (const auto& [name, value] : before_) {
      value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    }
  }
  KeptEnvironment(const KeptEnvironment&) = delete;
  KeptEnvironment& operator=(const KeptEnvironment&) = delete;

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

}  // namespace qvid
