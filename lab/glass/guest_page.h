// What a guest's browser does on the page of a broker without a person: an extension of Chromium that is
// loaded beside the page, joins the room, and says on the console what goes wrong.
//
//   https://BROKER/lab#send          its camera is on, and is the display that the browser is on
//   https://BROKER/lab#send&speak    its microphone, too: a tone that comes and goes
//
// A display stands in for the camera, since Chromium's own fake one cannot show the lab's clock at the
// clock's time. It is taken as the rival's page (lab/glass/call_page.h) takes it.
#pragma once

#include <string>
#include <string_view>

namespace qvid::lab {

// Files of the extension's folder.
inline constexpr const char* kGuestManifestFile = "manifest.json";
inline constexpr const char* kGuestScriptFile = "guest.js";
std::string_view guest_manifest();
std::string_view guest_script();

// Why the page failed, out of Chromium's log; empty: it did not.
std::string guest_trouble(std::string_view log);

}  // namespace qvid::lab
