# The page for browsers goes into the program: each file of QVID_WEB_ASSETS, compressed but for HTML, as
# bytes of its read-only data (app/web/web_asset.h). Where the folder is not there, nothing does.
set(QVID_WEB_ASSETS ${PROJECT_SOURCE_DIR}/web/dist CACHE PATH
    "Folder of the page for browsers: index.html and what it loads; none: a program without it")

# qvid_web_assets(TARGET): adds what is generated to the target's sources.
function(qvid_web_assets target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/web_assets)
  file(GLOB files CONFIGURE_DEPENDS "${QVID_WEB_ASSETS}/*")
  find_program(QVID_GZIP gzip REQUIRED)
  set(bytes "")
  set(rows "")
  set(embedded "")
  set(count 0)
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME)
    if(IS_DIRECTORY "${file}" OR NOT name MATCHES "^[A-Za-z0-9_][A-Za-z0-9_.-]*$")
      continue()
    endif()
    if(name MATCHES "\\.html$")
      set(out ${file})
      set(is_gzip false)
    else()
      set(out ${folder}/${name}.gz)
      set(is_gzip true)
      add_custom_command(OUTPUT ${out} COMMAND ${QVID_GZIP} -9nc ${file} > ${out}
                         DEPENDS ${file} VERBATIM)
    endif()
    list(APPEND embedded ${out})
    qvid_embed(bytes qvid_web_asset_${count} ${out})
    string(APPEND rows "      add(\"${name}\", {qvid_web_asset_${count}, qvid_web_asset_${count}_end}, "
           "${is_gzip});\n")
    math(EXPR count "${count} + 1")
  endforeach()
  file(MAKE_DIRECTORY ${folder})
  file(CONFIGURE OUTPUT ${folder}/embedded_assets.cc @ONLY CONTENT
"// Made by cmake/web_assets.cmake.
#include <list>
#include <string>
#include <vector>

#include \"app/web/web_asset.h\"

${bytes}
namespace qvid::app {

std::span<const WebAsset> embedded_assets() {
  struct All {
    std::list<std::string> tags;
    std::vector<WebAsset> assets;
    [[maybe_unused]] void add(std::string_view name, std::span<const unsigned char> bytes,
                              bool gzip) {
      const auto content = std::as_bytes(bytes);
      assets.push_back({name, content, tags.emplace_back(tag_of(content)), gzip});
    }
    All() {
${rows}    }
  };
  static const All all;
  return all.assets;
}

}  // namespace qvid::app
")
  set_source_files_properties(${folder}/embedded_assets.cc PROPERTIES
                              OBJECT_DEPENDS "${embedded}" SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${folder}/embedded_assets.cc)
endfunction()
