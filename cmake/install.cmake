# `cmake --install build --prefix P [--component library|pubsub|program]`.
#
#   library   lib/libpaceline.a, include/paceline/{base,transport}/, a CMake package (Paceline) and
#             paceline.pc
#   pubsub    lib/libpaceline-pubsub.a over it, include/paceline/pubsub/, the CMake package
#             PacelinePubsub and paceline-pubsub.pc
#   program   bin/qvid, its manual pages, translations and completion (bash, fish, zsh),
#             lib/systemd/system/qvid-broker.service, share/doc/qvid/broker.toml, share/applications/qvid.desktop (a handler of qvid:// links)
#             with its icon
#
# The packages describe the libraries themselves rather than exporting our targets, so that how our
# own code is compiled (its warnings, its source folder) stays here.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS qvid RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
# What depends on the prefix is known when it is installed.
configure_file(${CMAKE_CURRENT_LIST_DIR}/install_with_path.cmake.in
               ${PROJECT_BINARY_DIR}/install_with_path.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/install_with_path.cmake COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/qvid.svg
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/icons/hicolor/scalable/apps COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/docs/broker.toml
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/qvid COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/packaging/monitoring
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/qvid COMPONENT program
        PATTERN "*_test.yaml" EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/locale DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}
        COMPONENT program)
install(DIRECTORY ${QVID_PAGES}/man1/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program
        FILES_MATCHING PATTERN "*.1.gz")
install(FILES ${QVID_PAGES}/completions/qvid
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions COMPONENT program)
install(FILES ${QVID_PAGES}/completions/qvid.fish
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d COMPONENT program)

# What programs include; what these include in turn is found when it is installed.
set(PACELINE_PUBLIC_HEADERS
    base/clock.h transport/session/host.h transport/session/session.h transport/session/signal_log.h
    transport/session/signal_reader.h
    pubsub/client/client_token.h pubsub/client/room_client.h pubsub/server/broker_server.h)
set(PACELINE_INCLUDE_DIR ${CMAKE_INSTALL_INCLUDEDIR}/paceline)

# Asio is compiled in the library. One compiled with a sanitizer can only be linked with it.
set(PACELINE_FLAGS -DBOOST_ASIO_SEPARATE_COMPILATION)
if(QVID_SANITIZE)
  set(PACELINE_FLAGS ${PACELINE_FLAGS} -fsanitize=${QVID_SANITIZE})
  if(QVID_SANITIZE MATCHES thread)
    set(PACELINE_FLAGS ${PACELINE_FLAGS} -DBOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
endif()
string(REPLACE ";" " " PACELINE_PC_FLAGS "${PACELINE_FLAGS}")
if(GSSAPI_FOUND)
  set(PACELINE_PC_GSSAPI ", krb5-gssapi")
endif()
# Their prefix is where they are found, so that --prefix and a moved tree work.
file(RELATIVE_PATH PACELINE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PACELINE_PC_PREFIX "${PACELINE_PC_PREFIX}")

# install_library(COMPONENT TARGET PACKAGE NAME FOLDERS...): the CMake package and NAME.pc are made of
# cmake/PACKAGEConfig.cmake.in and cmake/NAME.pc.in; FOLDERS: whose headers are in it.
function(install_library component target package name)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name})
  install(TARGETS ${target} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})
  set(PACELINE_HEADER_FOLDERS ${ARGN})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake.in
                 ${PROJECT_BINARY_DIR}/install_${component}_headers.cmake @ONLY)
  install(SCRIPT ${PROJECT_BINARY_DIR}/install_${component}_headers.cmake COMPONENT ${component})
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/${package})
  configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/${package}Config.cmake.in ${PROJECT_BINARY_DIR}/${package}Config.cmake
    INSTALL_DESTINATION ${folder} PATH_VARS PACELINE_INCLUDE_DIR CMAKE_INSTALL_LIBDIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/${package}ConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/${package}Config.cmake
                ${PROJECT_BINARY_DIR}/${package}ConfigVersion.cmake
          DESTINATION ${folder} COMPONENT ${component})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT ${component})
endfunction()
install_library(library qvid_transport Paceline paceline base transport)
install_library(pubsub qvid_pubsub PacelinePubsub paceline-pubsub pubsub)
