// Proof that whoever binds a channel knows the session's secret: HMAC-SHA256 (RFC 2104) over what
// the bind says, cut to 128 bits. The secret itself crosses the wire once, in the welcome, under
// TLS; a bind that is replayed names a channel that was used before and is refused.
#pragma once

#include "base/result.h"
#include "transport/wire/record.h"

namespace paceline {

struct SessionCredentials {
  SessionId session{};
  SessionSecret secret{};
};

// From the system's generator. Throws std::runtime_error where it has none.
SessionCredentials make_credentials();

BindProof bind_proof(const SessionSecret& secret, const Bind& bind);
// Takes the same time whatever differs.
bool proves(const Bind& bind, const SessionSecret& secret);

}  // namespace paceline
