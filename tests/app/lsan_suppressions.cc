// What LeakSanitizer is not to report in these tests: the font library keeps its tables, which
// cairo's text has loaded, until the process ends.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
