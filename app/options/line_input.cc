#include "app/options/line_input.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/read_until.hpp>
#include <istream>
#include <utility>

#include "app/log/log.h"

namespace qvid::app {

LineInput::LineInput(boost::asio::io_context& io, std::function<void(std::string)> on_line)
    : input_(io), on_line_(std::move(on_line)) {
  boost::system::error_code error;
  // An opening of its own: Asio makes it non-blocking, which the terminal of others shall not be.
  int copy = ::open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
  if (copy < 0) copy = ::dup(STDIN_FILENO);
  if (copy < 0) return;
  input_.assign(copy, error);
  if (error) {  // a file is no event source
    ::close(copy);
    log_warning("no lines can be read from this standard input: use a pipe or a terminal");
    return;
  }
  read();
}

void LineInput::stop() {
  boost::system::error_code ignored;
  input_.close(ignored);
}

void LineInput::read() {
  boost::asio::async_read_until(
      input_, buffer_, '\n', [this](const boost::system::error_code& error, std::size_t) {
        if (error == boost::asio::error::operation_aborted || !input_.is_open()) return;
        if (error == boost::asio::error::not_found) {
          log_warning("a line of standard input is longer than {} bytes: no more is read",
                      kMaxLine);
        }
        if (error) return;
        std::istream in(&buffer_);
        std::string line;
        std::getline(in, line);
        if (line.ends_with('\r')) line.pop_back();
        if (!line.empty()) on_line_(std::move(line));
        if (input_.is_open()) read();
      });
}

}  // namespace qvid::app
