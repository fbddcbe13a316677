// What libraries do among threads of their own the sanitizer sees only in part: FFmpeg's decoders hand
// pictures on by atomics that it was not compiled with, so do SRT's sockets and PulseAudio's, and GDBus
// and PipeWire their messages; libXau writes the name of a file again at each connection, the same
// (media/source/x_authority.h). The function's name is the sanitizer's.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:libavcodec.so\nrace:libavutil.so\n"
         "race:libsrt-gnutls.so\nmutex:libsrt-gnutls.so\ndeadlock:libsrt-gnutls.so\n"
         "race:libpulsecommon\nrace:libXau.so\n"
         "race:libgio-2.0.so\nrace:libglib-2.0.so\nrace:libpipewire-0.3.so\n";
}
// NOLINTEND(bugprone-reserved-identifier)
