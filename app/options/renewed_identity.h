// A server's certificate while it runs: who keeps it puts a new one in its place, and sessions go on.
//
// Thread: one at a time.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/options/file_times.h"
#include "base/result.h"
#include "transport/tls/tls.h"

namespace qvid::app {

class RenewedIdentity {
 public:
  using Load = std::function<Result<std::shared_ptr<paceline::Identity>>()>;

  // `files`: what is looked at for changes. `load`: reads them.
  RenewedIdentity(const std::array<std::filesystem::path, 2>& files, Load load);

  // What the files hold now. The error: they are not to be used, and the old one stays.
  Result<std::shared_ptr<paceline::Identity>> read();
  // The same where a file has changed since they were last read; nothing: none has.
  std::optional<Result<std::shared_ptr<paceline::Identity>>> read_changed();
  // Hands on what read_changed gives; its error goes to the log, where a new key is told too.
  using Set = std::function<void(std::shared_ptr<paceline::Identity>)>;
  void look(const Set& set);

 private:
  FileTimes files_;
  const Load load_;
};

}  // namespace qvid::app
