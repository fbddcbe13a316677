// What clients and the broker say to each other beside the data: JSON messages on a session's first
// stream, of the highest importance. docs/qps.md lists them with who sends which when; to_broker.h
// and from_broker.h have their fields, and to add one message_table.h says how.
//
// Any text may come: parsers bound every field and give an Error for the rest. Unknown fields are
// left aside, unknown types are errors.
#pragma once

#include "pubsub/wire/from_broker.h"
#include "pubsub/wire/to_broker.h"
