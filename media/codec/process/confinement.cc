#include "media/codec/process/confinement.h"

#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

namespace qvid::media {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

Error failed(const std::string& what, int error) { return {what + ": " + std::strerror(error)}; }

bool limit(decltype(RLIMIT_CORE) what, rlim_t most) {
  const rlimit both{.rlim_cur = most, .rlim_max = most};
  return setrlimit(what, &both) == 0;
}

struct ReleaseFilter {
  void operator()(void* filter) const { seccomp_release(filter); }
};

std::optional<Error> filter_calls() {
  const std::unique_ptr<void, ReleaseFilter> filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)));
  if (!filter) return Error{"seccomp has no memory"};
  // Of memory, time, its threads' waiting, its end, and talking by what is open.
  constexpr std::array kAllowed = {
      SCMP_SYS(brk),           SCMP_SYS(munmap),        SCMP_SYS(mremap),
      SCMP_SYS(madvise),       SCMP_SYS(futex),         SCMP_SYS(sched_yield),
      SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday),  SCMP_SYS(restart_syscall),
      SCMP_SYS(getpid),        SCMP_SYS(gettid),        SCMP_SYS(rt_sigreturn),
      SCMP_SYS(exit),          SCMP_SYS(exit_group),    SCMP_SYS(sendto),
      SCMP_SYS(recvfrom),      SCMP_SYS(rt_sigprocmask)};
  int result = 0;
  for (const int call : kAllowed) {
    if (result == 0) result = seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 0);
  }
  const auto no_code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
  for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)}) {
    if (result == 0) result = seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 1, no_code);
  }
  if (result == 0) result = seccomp_load(filter.get());
  if (result < 0) return failed("the kernel takes no seccomp filter", -result);
  return std::nullopt;
}

}  // namespace

std::optional<Error> confine_this_process() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("PR_SET_NO_NEW_PRIVS", errno);
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return failed("PR_SET_DUMPABLE", errno);
  const bool limited = limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NOFILE, 0) &&
                       (kSanitized || limit(RLIMIT_DATA, static_cast<rlim_t>(kMostHeap.value())));
  if (!limited) return failed("setrlimit", errno);
  return filter_calls();
}

}  // namespace qvid::media
