#include "ui/start/qr_code.h"

#include <qrencode.h>

#include <memory>

namespace qvid::ui {

QrCode qr_code(const std::string& text) {
  if (text.empty() || text.size() > QrCode::kMostText) return {};
  const std::unique_ptr<QRcode, decltype(&QRcode_free)> made(
      QRcode_encodeData(static_cast<int>(text.size()),
                        reinterpret_cast<const unsigned char*>(text.data()), 0, QR_ECLEVEL_L),
      QRcode_free);
  if (!made) return {};
  QrCode code{.side = made->width, .dark = {}};
  const int modules = code.side * code.side;
  for (int i = 0; i < modules; ++i) code.dark.push_back((made->data[i] & 1) != 0);
  return code;
}

}  // namespace qvid::ui
