#include "app/command/open_link.h"

#include <cstring>

#include "ui/text/links.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

constexpr const char* kOpener = "xdg-open";

}  // namespace

std::optional<Error> open_link(const std::string& link, DesktopPrograms& programs) {
  if (!ui::is_link(link)) return Error{ui::tr("this is no link to a web page")};
  if (programs.full()) return Error{ui::tr("the links before are still being opened")};
  if (const int error = programs.run({kOpener, link}); error != 0) {
    return Error{std::string("the link cannot be opened: ") + kOpener + ": " +
                 std::strerror(error) + " (the package xdg-utils has it)"};
  }
  return std::nullopt;
}

}  // namespace qvid::app
