# `./run package`: Debian packages of what is installed (cmake/install.cmake), a component each.
#
#   qvid                   program   what a person installs, and who runs a broker
#   libpaceline-dev        library   the transport, for programs on it
#   libpaceline-pubsub-dev pubsub    rooms over it
include(GNUInstallDirs)
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program library pubsub)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGE_NAME qvid)
set(QVID_MAINTAINER "Qvid developers <qvid@localhost>" CACHE STRING
    "Who answers for the packages, for who gives them to others: NAME <ADDRESS>")
set(CPACK_PACKAGE_CONTACT "${QVID_MAINTAINER}")

# A later Debian's goes before an earlier one's.
cmake_host_system_information(RESULT QVID_HOST QUERY DISTRIB_INFO)
set(CPACK_DEBIAN_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE "1~${QVID_HOST_ID}${QVID_HOST_VERSION_ID}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME qvid)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION net)
# What it loads itself.
string(REGEX REPLACE "\\..*" "" QVID_AVDEVICE "${AVDEVICE_VERSION}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libavdevice${QVID_AVDEVICE}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "fonts-dejavu-core | fonts-noto-core, libnotify-bin, pipewire, pipewire-pulse | pulseaudio, xdg-desktop-portal, xdg-utils")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "fonts-noto-core, fonts-noto-cjk, fonts-noto-color-emoji")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
"video calls that stay interactive where only TCP gets through
 Each frame is encoded in layers; what matters is sent first, and what
 can no longer arrive in time is not sent at all. Calls, rooms by a broker
 of one's own (with a systemd unit), live and stored video, recording.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libpaceline-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libssl-dev (>= 3), libboost-dev (>= 1.74), libkrb5-dev")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
"messages over TCP with importance, deadlines and failover
 The transport of Qvid as a static library, with its headers, a CMake package
 and a file for pkg-config.")

set(CPACK_DEBIAN_PUBSUB_PACKAGE_NAME libpaceline-pubsub-dev)
set(CPACK_DEBIAN_PUBSUB_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PUBSUB_PACKAGE_DEPENDS
    "libpaceline-dev (= ${CPACK_DEBIAN_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), libsqlite3-dev (>= 3.38), libjwt-dev, libutf8proc-dev, libnats-dev, nlohmann-json3-dev")
set(CPACK_COMPONENT_PUBSUB_DESCRIPTION
"rooms over Paceline: a broker, and members that publish and watch
 The publish-subscribe layer of Qvid as a static library, with its headers, a
 CMake package and a file for pkg-config.")

# What Debian wants of each.
string(TIMESTAMP QVID_BUILT "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${PROJECT_SOURCE_DIR}/packaging/changelog.in ${PROJECT_BINARY_DIR}/changelog @ONLY)
execute_process(COMMAND gzip -9nkf changelog WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
                COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(folder ${CMAKE_INSTALL_DATAROOTDIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/copyright DESTINATION ${folder} COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/changelog.gz DESTINATION ${folder}
          RENAME changelog.Debian.gz COMPONENT ${component})
endforeach()
include(CPack)
