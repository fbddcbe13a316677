// A broker and the parties of its rooms, in virtual time (tests/pubsub/broker_party.h).
#pragma once

#include <gtest/gtest.h>

#include "pubsub/broker/broker.h"
#include "tests/pubsub/broker_party.h"

namespace qps {

class BrokerTest : public ::testing::Test {
 protected:
  Timestamp now_ = kBegin;
  Broker broker_;
};

}  // namespace qps
