// Lines from standard input, as they come, for who steers a program by a pipe.
//
// Bound: kMaxLine bytes a line; a longer one ends the reading, with a warning. Thread: the
// io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/streambuf.hpp>
#include <functional>
#include <string>

namespace qvid::app {

class LineInput {
 public:
  static constexpr std::size_t kMaxLine = 4096;

  // `on_line` is called without the end of the line; not for empty ones.
  LineInput(boost::asio::io_context& io, std::function<void(std::string)> on_line);
  // No call after it.
  void stop();

 private:
  void read();

  boost::asio::posix::stream_descriptor input_;
  boost::asio::streambuf buffer_{kMaxLine};
  std::function<void(std::string)> on_line_;
};

}  // namespace qvid::app
