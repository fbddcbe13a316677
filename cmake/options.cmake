# How all of our own code is compiled. Libraries link `qvid_options` privately.
add_library(qvid_options INTERFACE)
target_compile_options(qvid_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Wrong about members of std::variant in gcc 12 (its bug 105562 and others of that family).
  target_compile_options(qvid_options INTERFACE -Wno-maybe-uninitialized)
endif()
if(CMAKE_UNITY_BUILD)
  # Of several files in one, these say what is not so: the other presets ask for them.
  target_compile_options(qvid_options INTERFACE -Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(qvid_options INTERFACE -Wno-subobject-linkage)
  endif()
endif()
target_include_directories(qvid_options INTERFACE ${PROJECT_SOURCE_DIR})

if(QVID_SANITIZE)
  add_compile_options(-fsanitize=${QVID_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${QVID_SANITIZE})
endif()
if(QVID_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "QVID_FUZZERS needs clang: configure with the preset 'fuzz'")
  endif()
  # Coverage feedback in the libraries; the fuzz targets themselves add libFuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# The preset `debug` compiles sixteen files at once (CMAKE_UNITY_BUILD): most of what a file costs is
# its headers. Private names (anonymous namespaces) must then differ within a folder; where they had
# better not, a file is named here and compiled alone. What a file forgets to include, the other
# presets tell.
function(qvid_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# One library per folder: qvid_library(NAME sources... DEPENDS libraries...)
function(qvid_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  add_library(qvid_${name} STATIC ${arg_SOURCES})
  target_include_directories(qvid_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(qvid_${name} PUBLIC ${arg_DEPENDS} PRIVATE qvid_options)
endfunction()
