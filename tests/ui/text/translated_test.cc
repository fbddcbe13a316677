// Shows which language is chosen, and that what a catalogue has cannot harm.
#include "ui/text/translated.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "tests/temporary_folder.h"

namespace qvid::ui {
namespace {

class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& values) {
    for (const char* name : {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"}) {
      const char* before = std::getenv(name);
      if (before != nullptr) before_[name] = before;
      const auto value = values.find(name);
      if (value == values.end()) {
        ::unsetenv(name);
      } else {
        ::setenv(name, value->second.c_str(), 1);
      }
    }
  }
  ~Environment() {
    speak("en", "/nowhere");
    for (const char* name : {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"}) {
      const auto value = before_.find(name);
      if (value == before_.end()) {
        ::unsetenv(name);
      } else {
        ::setenv(name, value->second.c_str(), 1);
      }
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::map<std::string, std::string> before_;
};

struct Choice {
  std::map<std::string, std::string> environment;
  std::string setting;
  std::string chosen;
};

TEST(Translated, TheLanguageIsTheFirstThatSaysOne) {
  const Choice table[] = {{{}, "", ""},
                          {{{"LANG", "de_DE.UTF-8"}}, "", "de_DE"},
                          {{{"LANG", "de_DE.UTF-8"}, {"LC_MESSAGES", "es_ES"}}, "", "es_ES"},
                          {{{"LANG", "de_DE.UTF-8"}, {"LC_ALL", "C.UTF-8"}}, "", ""},
                          {{{"LANG", "C.UTF-8"}, {"LANGUAGE", "es:de"}}, "", "es:de"},
                          {{{"LC_ALL", "C"}, {"LANGUAGE", "es"}}, "", ""},
                          {{{"LANG", "de_DE.UTF-8"}, {"LANGUAGE", "de"}}, "es", "es"}};
  for (const Choice& choice : table) {
    const Environment environment(choice.environment);
    EXPECT_EQ(chosen_language(choice.setting), choice.chosen);
  }
}

TEST(Translated, TheCatalogueIsUsedWhateverLocalesAreInstalled) {
  const Environment environment(std::map<std::string, std::string>{{"LANG", "de_DE.UTF-8"}});
  EXPECT_STREQ(tr("Your name"), "Your name");
  speak("", QVID_CATALOGUES);
  EXPECT_STREQ(tr("Your name"), "Dein Name");
  EXPECT_STREQ(tr("Back"), "Zurück");
  EXPECT_EQ(filled(tr("{} here"), 3), "3 da");
  EXPECT_STREQ(tr("nobody has translated this"), "nobody has translated this");
  speak("es", QVID_CATALOGUES);
  EXPECT_STREQ(tr("Back"), "Volver");
  speak("de_AT.UTF-8", QVID_CATALOGUES);
  EXPECT_STREQ(tr("Back"), "Zurück");
  speak("xx::../de:es:de", QVID_CATALOGUES);
  EXPECT_STREQ(tr("Back"), "Volver");
  speak("en", QVID_CATALOGUES);
  EXPECT_STREQ(tr("Back"), "Back");
}

TEST(Translated, AFileThatIsNoCatalogueLeavesEnglish) {
  const Environment environment({});
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "de" / "LC_MESSAGES");
  std::ofstream(folder / "de" / "LC_MESSAGES" / "qvid.mo") << "no catalogue";
  speak("de", folder.path());
  EXPECT_STREQ(tr("Back"), "Back");
}

TEST(Translated, AWrongPatternStaysAsItIs) {
  EXPECT_EQ(filled("{} and {}", 1, "two"), "1 and two");
  EXPECT_EQ(filled("{} and {} and {}", 1, 2), "{} and {} and {}");
  EXPECT_EQ(filled("{:d}", "x"), "{:d}");
  EXPECT_EQ(filled("{", 1), "{");
}

}  // namespace
}  // namespace qvid::ui
