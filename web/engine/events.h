// What is told to the page: events as JSON, which page/worker.js hands on. Texts that others wrote are
// data there, never markup. Thread: the worker's.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace qvid::web {

// `fields`: an object.
void tell(std::string_view kind, nlohmann::json fields);
// A sentence for the one who sits there.
void tell_notice(const std::string& text);

// A picture of the browser that nobody wants.
void free_picture(int picture);

}  // namespace qvid::web
