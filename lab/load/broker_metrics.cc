#include "lab/load/broker_metrics.h"

#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <sstream>

#include "transport/socket/address.h"

namespace qvid::lab {
namespace {

constexpr std::chrono::seconds kMostWait{2};

}  // namespace

std::string read_metrics() {
  const paceline::Address at = *paceline::parse_address(kMetricsAt, 0);
  boost::asio::ip::tcp::iostream server;
  server.expires_after(kMostWait);
  server.connect(at.host, std::to_string(at.port));
  server << "GET /metrics HTTP/1.0\r\n\r\n" << std::flush;
  std::ostringstream page;
  page << server.rdbuf();
  return page.str();
}

double metric(const std::string& page, const std::string& line) {
  const std::size_t found = page.find("\n" + line + " ");
  return found == std::string::npos ? 0 : std::stod(page.substr(found + line.size() + 2));
}

}  // namespace qvid::lab
