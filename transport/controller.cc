#include "transport/controller.h"

#include <string>

#include "transport/controller_none.h"
#include "transport/controller_sock.h"

namespace paceline {

qvid::Result<std::unique_ptr<Controller>> make_controller(std::string_view name) {
  if (name == "sock") return std::unique_ptr<Controller>(std::make_unique<SockController>());
  if (name == "none") return std::unique_ptr<Controller>(std::make_unique<NoController>());
  return qvid::Error{"there is no latency controller '" + std::string(name) +
                     "': choose sock or none"};
}

}  // namespace paceline
