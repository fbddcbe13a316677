# Everything comes from the distribution's packages; `./run` installs them.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)  # Boost's own package, not CMake's module
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS locale)  # beside Asio, which is headers only
find_package(OpenSSL 3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(SQLite3 3.38 REQUIRED)  # the operators -> and ->>

pkg_check_modules(FFMPEG REQUIRED IMPORTED_TARGET
                  libavcodec libavformat libavutil libswresample libswscale)
# Of pictures for a screen; its package says nothing to pkg-config.
find_path(LIBYUV_FOLDER libyuv.h REQUIRED)
find_library(LIBYUV yuv REQUIRED)
pkg_check_modules(AVDEVICE REQUIRED libavdevice)  # loaded when a device is opened
pkg_check_modules(NATS REQUIRED IMPORTED_TARGET libnats)  # of clusters of brokers
pkg_check_modules(LIBJWT REQUIRED IMPORTED_TARGET libjwt)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
# The metrics alone: their CMake package also wants what its HTTP server and client need.
pkg_check_modules(PROMETHEUS REQUIRED IMPORTED_TARGET prometheus-cpp-core)
# A rival, for the lab alone. The build with GnuTLS: FFmpeg is linked with it, and two of them in one
# process destroy each other's globals.
pkg_check_modules(LIBSRT REQUIRED IMPORTED_TARGET srt)
# Another one; without it the lab leaves QUIC out. Debian 13 has 1.11, Debian 12 has 0.12, with other
# names for some of it.
pkg_check_modules(NGTCP2 IMPORTED_TARGET libngtcp2 libngtcp2_crypto_gnutls gnutls)
# For proxies that want Negotiate; without it they are told of as not supported.
pkg_check_modules(GSSAPI IMPORTED_TARGET krb5-gssapi)
# Of the desktop's settings.
pkg_check_modules(LIBPROXY REQUIRED IMPORTED_TARGET libproxy-1.0)
pkg_check_modules(X264 REQUIRED IMPORTED_TARGET x264)
pkg_check_modules(AOM REQUIRED IMPORTED_TARGET aom)
pkg_check_modules(DAV1D REQUIRED IMPORTED_TARGET dav1d)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
pkg_check_modules(OPUS REQUIRED IMPORTED_TARGET opus)
pkg_check_modules(SOUNDTOUCH REQUIRED IMPORTED_TARGET soundtouch)
# Debian 13 has 1.3, Debian 12 has 0.3, with another interface.
pkg_check_modules(WEBRTC_AUDIO IMPORTED_TARGET webrtc-audio-processing-1)
if(NOT WEBRTC_AUDIO_FOUND)
  pkg_check_modules(WEBRTC_AUDIO REQUIRED IMPORTED_TARGET webrtc-audio-processing)
endif()
pkg_check_modules(SDL2 REQUIRED IMPORTED_TARGET sdl2)
# What other programs play. PipeWire speaks its protocol, too, and SDL has brought it along already.
pkg_check_modules(PULSE REQUIRED IMPORTED_TARGET libpulse)
pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)
pkg_check_modules(FONTS REQUIRED IMPORTED_TARGET fontconfig freetype2 fribidi stb)  # stb: what ImGui reads fonts by
pkg_check_modules(QRENCODE REQUIRED IMPORTED_TARGET libqrencode)
# Screens of Wayland: the desktop is asked by D-Bus, for which FFmpeg has brought GLib along already.
pkg_check_modules(GIO REQUIRED IMPORTED_TARGET gio-unix-2.0)
pkg_check_modules(PIPEWIRE REQUIRED IMPORTED_TARGET libpipewire-0.3)
pkg_check_modules(XAU REQUIRED IMPORTED_TARGET xau)
pkg_check_modules(XCB REQUIRED IMPORTED_TARGET xcb xcb-shm)  # displays and their windows
