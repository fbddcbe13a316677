// Shows what counts as one address, and that a place that is given back can be taken again.
#include "pubsub/broker/address_limit.h"

#include <gtest/gtest.h>

namespace qps {
namespace {

TEST(AddressLimit, EveryAddressHasItsOwn) {
  AddressLimit limit(2);
  EXPECT_TRUE(limit.take("192.0.2.1"));
  EXPECT_TRUE(limit.take("192.0.2.1"));
  EXPECT_FALSE(limit.take("192.0.2.1"));
  EXPECT_TRUE(limit.take("192.0.2.2"));
  limit.give_back("192.0.2.1");
  EXPECT_TRUE(limit.take("192.0.2.1"));
  EXPECT_FALSE(limit.take("192.0.2.1"));
  limit.give_back("192.0.2.9");  // which has none
}

TEST(AddressLimit, WhatOneMachineHasIsOne) {
  AddressLimit limit(1);
  EXPECT_TRUE(limit.take("2001:db8:1:2::1"));
  EXPECT_FALSE(limit.take("2001:db8:1:2:ffff::9"));
  EXPECT_TRUE(limit.take("2001:db8:1:3::1"));
  EXPECT_TRUE(limit.take("::ffff:192.0.2.1"));
  EXPECT_FALSE(limit.take("192.0.2.1"));
  limit.give_back("2001:db8:1:2:7::7");
  EXPECT_TRUE(limit.take("2001:db8:1:2::1"));
}

}  // namespace
}  // namespace qps
