# `cmake --install build --prefix P [--component library|program]`.
#
#   library   lib/libpaceline.a, include/paceline/{base,transport}/*.h, a CMake package (Paceline)
#             and paceline.pc
#   program   bin/qvid, lib/systemd/system/qvid-broker.service, share/doc/qvid/broker.toml,
#             share/applications/qvid.desktop (a handler of qvid:// links) with its icon
#
# The package describes the library itself rather than exporting our targets, so that how our own
# code is compiled (its warnings, its source folder) stays here.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(qvid_transport PROPERTIES OUTPUT_NAME paceline)
install(TARGETS qvid RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
# The program's whole path is known when it is installed.
configure_file(${CMAKE_CURRENT_LIST_DIR}/install_with_path.cmake.in
               ${PROJECT_BINARY_DIR}/install_with_path.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/install_with_path.cmake COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/qvid.svg
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/icons/hicolor/scalable/apps COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/docs/broker.toml
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/qvid COMPONENT program)
install(TARGETS qvid_transport ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)

# What programs include, and what these include in turn: read when it is installed.
set(PACELINE_PUBLIC_HEADERS
    transport/session/host.h transport/session/session.h transport/session/signal_log.h
    transport/session/signal_reader.h)
set(PACELINE_INCLUDE_DIR ${CMAKE_INSTALL_INCLUDEDIR}/paceline)
configure_file(${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake.in
               ${PROJECT_BINARY_DIR}/install_headers.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/install_headers.cmake COMPONENT library)

# Asio is compiled in the library. One compiled with a sanitizer can only be linked with it.
set(PACELINE_FLAGS -DBOOST_ASIO_SEPARATE_COMPILATION)
if(QVID_SANITIZE)
  set(PACELINE_FLAGS ${PACELINE_FLAGS} -fsanitize=${QVID_SANITIZE})
  if(QVID_SANITIZE MATCHES thread)
    set(PACELINE_FLAGS ${PACELINE_FLAGS} -DBOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
endif()
string(REPLACE ";" " " PACELINE_PC_FLAGS "${PACELINE_FLAGS}")

set(PACELINE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Paceline)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/PacelineConfig.cmake.in ${PROJECT_BINARY_DIR}/PacelineConfig.cmake
  INSTALL_DESTINATION ${PACELINE_PACKAGE_DIR}
  PATH_VARS PACELINE_INCLUDE_DIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/PacelineConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/PacelineConfig.cmake
              ${PROJECT_BINARY_DIR}/PacelineConfigVersion.cmake
        DESTINATION ${PACELINE_PACKAGE_DIR} COMPONENT library)

# Its prefix is where it is found, so that --prefix and a moved tree work.
file(RELATIVE_PATH PACELINE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PACELINE_PC_PREFIX "${PACELINE_PC_PREFIX}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/paceline.pc.in ${PROJECT_BINARY_DIR}/paceline.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/paceline.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT library)
