// No controller: the socket takes what fits its buffer, as plain TCP applications do. The rival in
// experiments.
#pragma once

#include "transport/controller.h"

namespace paceline {

class NoController : public Controller {
 public:
  std::string_view name() const override { return "none"; }
  bool needs_socket() const override { return false; }
  ByteCount allowance(Timestamp) const override { return ByteCount::max(); }
  void on_written(ByteCount, Timestamp) override {}
  void on_acked(ByteCount, ByteCount, Timestamp) override {}
  void on_socket(const SocketSample&, Timestamp) override {}
};

}  // namespace paceline
