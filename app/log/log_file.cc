#include "app/log/log_file.h"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "app/log/log.h"
#include "app/log/log_format.h"
#include "app/log/state_folder.h"
#include "transport/tls/tls_files.h"

namespace qvid::app {

LogFile::LogFile(const std::filesystem::path& folder) {
  if (folder.empty()) return;
  if (const auto error = paceline::make_private_folder(folder)) {
    log_warning("there is no log file: {}", error->message);
    return;
  }
  keep_newest(folder, "qvid-", kMostLogFiles - 2);  // and two of this one
  const std::string path = folder / ("qvid-" + std::to_string(::getpid()) + ".log");
  try {
    sink_ = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(path, kMostLogFile, 1);
  } catch (const spdlog::spdlog_ex& error) {
    log_warning("there is no log file: {}", error.what());
    return;
  }
  sink_->set_formatter(log_format());
  spdlog::default_logger()->sinks().push_back(sink_);
  spdlog::default_logger()->flush_on(spdlog::level::info);  // a crash must not take the last lines
}

LogFile::~LogFile() {
  if (sink_) std::erase(spdlog::default_logger()->sinks(), sink_);
}

}  // namespace qvid::app
