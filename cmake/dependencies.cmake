# Everything comes from the distribution's packages; `./run` installs them.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

find_package(Boost 1.74 REQUIRED)  # Asio, headers only
find_package(OpenSSL 3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)

pkg_check_modules(FFMPEG REQUIRED IMPORTED_TARGET
                  libavcodec libavformat libavdevice libavutil libswscale)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)
pkg_check_modules(SRT REQUIRED IMPORTED_TARGET srt)  # a rival, for the lab alone
pkg_check_modules(X264 REQUIRED IMPORTED_TARGET x264)
pkg_check_modules(SDL2 REQUIRED IMPORTED_TARGET sdl2)
pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)
