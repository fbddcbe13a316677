// What went wrong last, as the log was told, for who sees no log: while it lives, of all threads.
#pragma once

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>

#include "base/text.h"

namespace qvid::app {

class LoggedErrors {
 public:
  // Thread of both: one on which nobody else logs at that time.
  LoggedErrors() { sinks().push_back(sink_); }
  ~LoggedErrors() { std::erase(sinks(), spdlog::sink_ptr(sink_)); }
  LoggedErrors(const LoggedErrors&) = delete;
  LoggedErrors& operator=(const LoggedErrors&) = delete;

  // Empty: nothing did.
  std::string last() const { return sink_->last(); }

 private:
  class Sink : public spdlog::sinks::base_sink<std::mutex> {
   public:
    std::string last() {
      const std::lock_guard lock(mutex_);
      return last_;
    }

   private:
    void sink_it_(const spdlog::details::log_msg& message) override {
      if (message.level < spdlog::level::err) return;
      last_ = printable({message.payload.data(), message.payload.size()});
    }
    void flush_() override {}
    std::string last_;
  };
  static std::vector<spdlog::sink_ptr>& sinks() { return spdlog::default_logger()->sinks(); }

  const std::shared_ptr<Sink> sink_ = std::make_shared<Sink>();
};

}  // namespace qvid::app
