// The link by which somebody comes with a browser, and the same for the camera of a phone that sees this
// terminal.
#pragma once

#include <string>
#include <string_view>

#include "transport/socket/address.h"
#include "ui/start/qr_code.h"

namespace qvid::app {

// "https://192.0.2.7:7400/call#token=seven%20words": what stands behind the # a browser keeps for the page.
// `path`: "call", without a slash before it. `secret`: empty: none. Pure.
std::string web_link(bool secure, const paceline::Address& address, std::string_view path,
                     std::string_view secret);

// Lines for a terminal that knows Unicode and colours: two rows of modules in one of text, black on white
// whatever its own colours are. Empty of no code. Pure.
std::string terminal_text(const ui::QrCode& code);

// Logs it with what a browser says of it; and shows it as a QR code below where the log is a terminal in
// UTF-8 that is wide enough. Says nothing where this program was built without the page. `shows_code`:
// where the link alone lets in.
void tell_web_link(const std::string& link, bool shows_code);

}  // namespace qvid::app
