#include "app/settings/language.h"

#include <filesystem>
#include <system_error>

#include "ui/text/translated.h"

namespace qvid::app {

void speak_language(const std::string& language) {
  std::error_code unknown;  // then there are no catalogues, and all is English
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  ui::speak(language, program.parent_path().parent_path() / "share" / "locale");
}

}  // namespace qvid::app
