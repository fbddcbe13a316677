// Asio itself, as transport/socket/asio.cc has it, without OpenSSL and without descriptors: a page has
// timers and what is posted, nothing that could be waited for. Its reactor has a pipe by which threads
// would wake each other; here nobody waits, so it holds nothing and is never ready.
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/impl/src.hpp>
#include <cerrno>

extern "C" {

int pipe(int* ends) {
  constexpr int kNoDescriptor = 1000;  // beyond the three that there are
  ends[0] = kNoDescriptor;
  ends[1] = kNoDescriptor + 1;
  return 0;
}

ssize_t write(int, const void*, size_t size) { return static_cast<ssize_t>(size); }

int select(int, fd_set* read, fd_set* written, fd_set* failed, timeval*) {
  for (fd_set* const set : {read, written, failed}) {
    if (set != nullptr) FD_ZERO(set);
  }
  return 0;
}

int setsockopt(int, int, int, const void*, socklen_t) {
  errno = ENOSYS;
  return -1;
}
}
