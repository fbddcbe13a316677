#include "app/log/log_format.h"

#include <spdlog/pattern_formatter.h>

#include <ctime>
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

}  // namespace

std::unique_ptr<spdlog::formatter> log_format() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableText>('*').set_pattern("%H:%M:%S.%e %^%l%$ %*");
  return formatter;
}

}  // namespace qvid::app
