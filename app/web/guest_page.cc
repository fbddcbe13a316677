#include "app/web/guest_page.h"

#include <algorithm>
#include <array>

namespace qvid::app {
namespace {

constexpr std::string_view kFiles = "/web/";
constexpr std::string_view kWatch = "/watch/";

constexpr std::string_view kEncoding = "Content-Encoding: gzip\r\n";
// Behind the encoding, where there is one.
constexpr std::string_view kHeaders =
    "Content-Encoding: gzip\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "
    "style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
    "worker-src 'self' blob:; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Permissions-Policy: camera=(self), microphone=(self), display-capture=(self)\r\n";

struct TypeOfName {
  std::string_view end;
  std::string_view type;
};
constexpr std::array<TypeOfName, 11> kTypes{{{".html", "text/html; charset=utf-8"},
                                             {".js", "text/javascript; charset=utf-8"},
                                             {".mjs", "text/javascript; charset=utf-8"},
                                             {".css", "text/css; charset=utf-8"},
                                             {".json", "application/json"},
                                             {".wasm", "application/wasm"},
                                             {".svg", "image/svg+xml"},
                                             {".png", "image/png"},
                                             {".ico", "image/x-icon"},
                                             {".woff2", "font/woff2"},
                                             {".txt", "text/plain; charset=utf-8"}}};

std::string_view type_of(std::string_view name) {
  const auto it =
      std::ranges::find_if(kTypes, [&](const auto& t) { return name.ends_with(t.end); });
  return it == kTypes.end() ? "application/octet-stream" : it->type;
}

// The file's name; empty: none is meant.
std::string_view file_of(std::string_view path) {
  if (path.starts_with(kFiles)) return path.substr(kFiles.size());
  if (path.starts_with(kWatch) && path.size() > kWatch.size()) return kIndexFile;
  if (path == "/favicon.ico" || path == "/robots.txt") return path.substr(1);  // no room
  if (path.starts_with('/') && path.find('/', 1) == std::string_view::npos) return kIndexFile;
  return {};
}

}  // namespace

paceline::HttpPage guest_page(std::string_view path, std::span<const WebAsset> assets) {
  paceline::HttpPage page;
  const std::string_view name = file_of(path);
  if (name.empty()) return page;
  if (assets.empty()) {
    page.text += "It was built without the page for browsers.\n";
    return page;
  }
  const auto asset = std::ranges::find(assets, name, &WebAsset::name);
  if (asset == assets.end()) return page;
  page.status = 200;
  page.type = type_of(name);
  page.cache = "no-cache";
  page.headers = kHeaders.substr(asset->gzip ? 0 : kEncoding.size());
  page.tag = asset->tag;
  page.asset = asset->content;
  return page;
}

// A browser keeps what stands behind the #, where a token is.
paceline::HttpPage watch_page(std::string_view path, std::span<const WebAsset> assets) {
  if (path != "/" || assets.empty()) return guest_page(path, assets);
  return {.status = 302,
          .text = "What this server shows live is at /watch/live.\n",
          .headers = "Location: /watch/live\r\n"};
}

}  // namespace qvid::app
