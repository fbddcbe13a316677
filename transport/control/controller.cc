#include "transport/control/controller.h"

#include <string>

#include "transport/control/controller_adapt.h"
#include "transport/control/controller_mtp.h"
#include "transport/control/controller_none.h"
#include "transport/control/controller_pace.h"
#include "transport/control/controller_sock.h"

namespace paceline {

qvid::Result<std::unique_ptr<Controller>> make_controller(const ControllerOptions& options) {
  using Made = std::unique_ptr<Controller>;
  if (options.name == "pace") return Made(std::make_unique<PaceController>(options));
  if (options.name == "adapt") return Made(std::make_unique<AdaptController>(options));
  if (options.name == "sock") return Made(std::make_unique<SockController>(options));
  if (options.name == "mtp") return Made(std::make_unique<MtpController>(options));
  if (options.name == "none") return Made(std::make_unique<NoController>());
  return qvid::Error{"there is no latency controller '" + options.name +
                     "': choose pace, adapt, sock, mtp or none"};
}

}  // namespace paceline
