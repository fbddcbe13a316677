// By utf8proc; a build without it (web/engine/) brings its own.
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "pubsub/wire/control_values.h"

namespace qps {

std::string name_form(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, is_ascii)) return std::string(text);
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &made,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  struct Freed {
    void operator()(utf8proc_uint8_t* bytes) const { std::free(bytes); }
  };
  const std::unique_ptr<utf8proc_uint8_t, Freed> form(made);
  if (size < 0 || !form) return std::string(text);
  return {reinterpret_cast<const char*>(form.get()), static_cast<std::size_t>(size)};
}

}  // namespace qps
