#include "app/options/file_limit.h"

#include <sys/resource.h>

namespace qvid::app {

std::size_t raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  rlimit more = limit;
  more.rlim_cur = more.rlim_max;
  if (more.rlim_cur != limit.rlim_cur && setrlimit(RLIMIT_NOFILE, &more) == 0) limit = more;
  return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace qvid::app
