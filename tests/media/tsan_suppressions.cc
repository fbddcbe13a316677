// FFmpeg's decoder threads hand pictures on by atomics that its library was compiled with and the
// sanitizer does not see. The name is the sanitizer's.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:libavcodec.so\nrace:libavutil.so\n";
}
// NOLINTEND(bugprone-reserved-identifier)
