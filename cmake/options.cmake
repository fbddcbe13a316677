# How all of our own code is compiled. Libraries link `qvid_options` privately.
add_library(qvid_options INTERFACE)
target_compile_options(qvid_options INTERFACE -Wall -Wextra -Wconversion -Werror)
# Of several files compiled as one, -Wshadow says what is not so.
set(together $<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>)
target_compile_options(qvid_options INTERFACE $<$<NOT:${together}>:-Wshadow>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Wrong about members of std::variant in gcc 12 (its bug 105562 and others of that family), and,
  # with -O2, about "text" + string (its bug 105651).
  target_compile_options(qvid_options INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
  # Wrong, with -O2, about strings moved into a vector (its bug 105329, mended in gcc 13).
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(qvid_options INTERFACE -Wno-array-bounds -Wno-stringop-overread)
  endif()
  target_compile_options(qvid_options INTERFACE $<${together}:-Wno-subobject-linkage>)
endif()
target_include_directories(qvid_options INTERFACE ${PROJECT_SOURCE_DIR})

# GCC collects its own garbage each time its heap has doubled, from 128 MiB on: of a room compiled as
# one file, an eighth of the time. Where there are 4 GB a core it may take half a gigabyte more.
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)  # MiB
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR memory "${memory} / ${cores}")
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND memory GREATER 4000)
  add_compile_options(--param=ggc-min-expand=300 --param=ggc-min-heapsize=600000)
endif()

if(QVID_SANITIZE)
  add_compile_options(-fsanitize=${QVID_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${QVID_SANITIZE})
  if(QVID_SANITIZE MATCHES address AND NOT QVID_FUZZERS)
    # A quarter of what compiling costs: each temporary's end is marked, on each way out of its scope.
    # The preset `fuzz` has it.
    add_compile_options(-fno-sanitize-address-use-after-scope)
  endif()
  if(QVID_SANITIZE MATCHES undefined AND NOT QVID_FUZZERS)
    # A third of what compiling costs, for what AddressSanitizer tells, too; the preset `fuzz` has them.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
endif()
# Against what a mistake of ours would let a stranger do; sanitizers check more, by themselves.
# tests/architecture/hardening_test.sh looks at the program.
if(NOT QVID_SANITIZE)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
  add_compile_options(-fstack-protector-strong)
  add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  # Of the C library; where nothing is optimised it would do nothing, and say so.
  add_compile_options("$<$<CONFIG:Release>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>")
endif()
if(QVID_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "QVID_FUZZERS needs clang: configure with the preset 'fuzz'")
  endif()
  # Coverage feedback in the libraries; the fuzz targets themselves add libFuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# ccache, where it is installed, makes the second build of the same code a matter of seconds.
find_program(QVID_CCACHE ccache)
if(QVID_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${QVID_CCACHE})
endif()

add_compile_definitions(_REENTRANT)  # as SDL's flags do: else not all could share base/headers.h

# With CMAKE_UNITY_BUILD (presets release, debug, tsan and clang) 20 files of a library are compiled as one, 40
# where all is built: most of what a file costs is its headers and the templates that it uses; but the
# last of a program would be compiled while other cores are idle. Private names (anonymous namespaces)
# must then differ within a library; a file that cannot be compiled with others is named here. What a file
# forgets to include, and what is shadowed, the preset `strict` tells.
function(qvid_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# One library per folder: qvid_library(NAME sources... DEPENDS libraries...). HEADERS: whose precompiled ones
# it has, if not base's; or a header that it precompiles for itself, where it is compiled with options of its own.
function(qvid_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADERS" "SOURCES;DEPENDS")
  if(NOT arg_HEADERS)
    set(arg_HEADERS qvid_headers)
  endif()
  add_library(qvid_${name} STATIC ${arg_SOURCES})
  if(arg_HEADERS MATCHES "[.]h$")
    target_precompile_headers(qvid_${name} PRIVATE ${arg_HEADERS})
  else()
    target_precompile_headers(qvid_${name} REUSE_FROM ${arg_HEADERS})
  endif()
  target_include_directories(qvid_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(qvid_${name} PUBLIC ${arg_DEPENDS} PRIVATE qvid_options)
endfunction()
