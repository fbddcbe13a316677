// What player and server say to each other beside the video: JSON messages on the session's first
// stream, of the highest importance. docs/protocol.md lists them with who sends which when;
// client_message.h and server_message.h have their fields, and to add one
// pubsub/wire/message_table.h says how.
//
// Any text may come: parsers bound every field and give an Error for the rest. Unknown fields are
// left aside, unknown types are errors.
#pragma once

#include "app/protocol/client_message.h"
#include "app/protocol/server_message.h"
