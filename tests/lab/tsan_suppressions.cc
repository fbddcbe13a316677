// What these libraries do among their own threads the sanitizer sees only in part: SRT's sockets, and
// libXau's name of a file, which each connection to a display writes again, the same
// (media/source/x_authority.h). The name is the sanitizer's.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:libsrt-gnutls.so\nmutex:libsrt-gnutls.so\ndeadlock:libsrt-gnutls.so\n"
         "race:libXau.so\n";
}
// NOLINTEND(bugprone-reserved-identifier)
