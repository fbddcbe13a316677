// In the place of QUIC where this was built without ngtcp2.
#include <stdexcept>

#include "lab/bed/quic_flow.h"

namespace qvid::lab {

std::string missing_for_quic() {
  return "libngtcp2-dev, libngtcp2-crypto-gnutls-dev and libgnutls28-dev, then CMake again";
}

std::unique_ptr<NearEnd> make_quic_near(boost::asio::io_context&, const FlowSetting&) {
  throw std::runtime_error("QUIC needs " + missing_for_quic());
}
std::unique_ptr<FarEnd> make_quic_far(boost::asio::io_context&, const FlowSetting&) {
  throw std::runtime_error("QUIC needs " + missing_for_quic());
}

}  // namespace qvid::lab
