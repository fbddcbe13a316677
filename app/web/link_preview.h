// The page's files, so that messengers show a picture beside a link to it: what the Open Graph protocol
// (ogp.me) calls og:image. Without a picture of who runs the server they are as they were.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/web/web_asset.h"

namespace qvid::app {

// Why that is no address of a picture that messengers could fetch; empty text is none, and good.
std::optional<std::string> link_picture_trouble(std::string_view url);

class LinkPreview {
 public:
  // `files` outlive it. Precondition: the picture's address is without trouble.
  LinkPreview(std::span<const WebAsset> files, std::string_view picture);
  LinkPreview(const LinkPreview&) = delete;
  LinkPreview& operator=(const LinkPreview&) = delete;

  std::span<const WebAsset> files() const { return files_; }

 private:
  std::string index_;  // with what it says of the picture
  std::string tag_;
  std::vector<WebAsset> files_;
};

}  // namespace qvid::app
