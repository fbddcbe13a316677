# The font that the program has in itself (ui/text/own_font.h), for where none is installed: Latin,
# Greek and Cyrillic are always there. Its licence is in packaging/copyright.
find_file(QVID_FONT DejaVuSans.ttf REQUIRED
          PATHS /usr/share/fonts/truetype/dejavu /usr/share/fonts/dejavu-sans-fonts
                /usr/share/fonts/dejavu /usr/share/fonts/TTF
          DOC "DejaVu Sans, of the package fonts-dejavu-core")

# qvid_own_font(TARGET): adds what is generated to the target's sources.
function(qvid_own_font target)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/own_font.cc)
  qvid_embed(bytes qvid_own_font_bytes ${QVID_FONT})
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"// Made by cmake/own_font.cmake.
#include \"ui/text/own_font.h\"

${bytes}
namespace qvid::ui {

std::span<const unsigned char> own_font() { return {qvid_own_font_bytes, qvid_own_font_bytes_end}; }

}  // namespace qvid::ui
")
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${QVID_FONT}
                              SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${source})
endfunction()
