#include "app/log/log_format.h"

#include <fmt/chrono.h>
#include <spdlog/pattern_formatter.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.h"

namespace qvid::app {
namespace {

class PrintableText : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& line) override {
    const std::string text = printable({message.payload.data(), message.payload.size()});
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return spdlog::details::make_unique<PrintableText>();
  }
};

thread_local const LogSubject* subject_of_line = nullptr;

class JsonLine : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    using std::chrono::milliseconds;
    const auto ms =
        std::chrono::floor<milliseconds>(message.time.time_since_epoch()) % std::chrono::seconds(1);
    const std::time_t second = spdlog::log_clock::to_time_t(message.time);
    const auto level = spdlog::level::to_string_view(message.level);
    nlohmann::ordered_json object{
        {"time", fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(second), ms.count())},
        {"level", std::string(level.data(), level.size())}};
    const auto add = [&](const char* name, std::string_view value) {
      if (!value.empty()) object[name] = printable(value);
    };
    if (subject_of_line != nullptr) {
      add("client", subject_of_line->client);
      add("room", subject_of_line->room);
      add("member", subject_of_line->member);
    }
    object["text"] = printable({message.payload.data(), message.payload.size()});
    // A line is never lost for a byte that is no UTF-8.
    constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
    const std::string text = object.dump(-1, ' ', false, kReplace) + '\n';
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<JsonLine>(); }
};

}  // namespace

SubjectOfLine::SubjectOfLine(const LogSubject& subject) { subject_of_line = &subject; }
SubjectOfLine::~SubjectOfLine() { subject_of_line = nullptr; }

std::unique_ptr<spdlog::formatter> json_log_format() { return std::make_unique<JsonLine>(); }

std::unique_ptr<spdlog::formatter> log_format() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableText>('*').set_pattern("%H:%M:%S.%e %^%l%$ %*");
  return formatter;
}

}  // namespace qvid::app
