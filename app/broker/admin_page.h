// `POST /admin` on a broker's second port: what `qvid admin` does, for an operator's scripts.
//
//   Authorization: Bearer TOKEN     {"do":"kick","room":"den","name":"Bob","reason":"too loud"}
//   200 {"rooms":[...]}             or an error: {"error":"there is no room 'den'"}
//
// The body is an Admin without its type and token (pubsub/wire/to_broker.h), the answer its data.
// Pages of a browser have no business here: whoever tells an Origin is refused, so that a page from
// anywhere cannot use what the operator's machine may do. Pure.
#pragma once

#include <functional>

#include "app/broker/status_server.h"
#include "base/result.h"
#include "pubsub/wire/from_broker.h"
#include "pubsub/wire/to_broker.h"

namespace qvid::app {

// The error: whoever asks may not.
using Administer = std::function<Result<qps::Answer>(const qps::Admin&)>;

StatusServer::Page admin_page(const StatusServer::Request& request, const Administer& administer);

}  // namespace qvid::app
