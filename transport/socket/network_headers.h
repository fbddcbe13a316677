// base/headers.h and what most files of transport/, pubsub/, app/ and lab/ include beside it, compiled once
// for all of them (cmake/options.cmake). A file still includes what it uses: the presets `strict` and
// `clang` have no precompiled header.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json.hpp>

#include "base/headers.h"
