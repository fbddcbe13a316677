#include "app/command/link_picture_option.h"

#include <CLI/CLI.hpp>

#include "app/web/link_preview.h"

namespace qvid::app {

void add_link_picture_option(CLI::App& command, std::optional<std::string>& url) {
  command
      .add_option(
          "--link-picture", url,
          "Address of a picture that messengers show beside a link to the page for browsers, "
          "as https://example.org/qvid.png")
      ->check(CLI::Validator(
          [](const std::string& text) { return link_picture_trouble(text).value_or(""); }, "URL"));
}

}  // namespace qvid::app
