#include "app/web/link_preview.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/web/guest_page.h"

namespace qvid::app {
namespace {

constexpr std::size_t kMostLink = 1024;
constexpr std::string_view kHead = "<head>\n";

// What an address may not have unless it is written as %XX; the last three would end an attribute.
bool is_plain(char c) { return c > ' ' && c < 0x7f && c != '"' && c != '<' && c != '>'; }

}  // namespace

std::optional<std::string> link_picture_trouble(std::string_view url) {
  if (url.empty()) return std::nullopt;
  if (url.starts_with("https://") && url.size() <= kMostLink &&
      std::ranges::all_of(url, is_plain)) {
    return std::nullopt;
  }
  return fmt::format(
      "write the address of a PNG or JPEG that everybody can fetch, as "
      "https://example.org/qvid.png, of up to {} characters",
      kMostLink);
}

LinkPreview::LinkPreview(std::span<const WebAsset> files, std::string_view picture)
    : files_(files.begin(), files.end()) {
  const auto index = std::ranges::find(files_, kIndexFile, &WebAsset::name);
  if (picture.empty() || index == files_.end() || index->gzip) return;
  const auto* text = reinterpret_cast<const char*>(index->content.data());
  index_.assign(text, index->content.size());
  const std::size_t head = index_.find(kHead);
  if (head == std::string::npos) return;
  std::string address(picture);
  for (std::size_t at = 0; (at = address.find('&', at)) != std::string::npos; ++at) {
    address.replace(at, 1, "&amp;");
  }
  index_.insert(head + kHead.size(), fmt::format("<meta property=\"og:title\" content=\"Qvid\">\n"
                                                 "<meta property=\"og:image\" content=\"{}\">\n",
                                                 address));
  index->content = std::as_bytes(std::span(index_));
  tag_ = tag_of(index->content);
  index->tag = tag_;
}

}  // namespace qvid::app
