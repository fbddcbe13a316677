// Tickets for HTTP proxies that want Negotiate (RFC 4559): of who is logged in on this machine, by
// Kerberos and GSSAPI.
#pragma once

#include <string>

#include "base/result.h"

namespace paceline {

// The program was built with GSSAPI.
bool can_make_tickets();

// For one connection to the proxy of that host, in base64. Blocks: the realm's key server may be
// asked. The error is GSSAPI's: nobody has logged in, his ticket has run out, the realm knows no such
// proxy. Thread: any.
qvid::Result<std::string> make_ticket(const std::string& host);

}  // namespace paceline
