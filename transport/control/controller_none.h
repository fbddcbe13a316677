// No controller: the socket takes what fits its buffer, as plain TCP applications do. The rival in
// experiments.
#pragma once

#include "transport/control/controller.h"

namespace paceline {

class NoController : public Controller {
 public:
  std::string_view name() const override { return "none"; }
  ByteCount allowance(Timestamp) const override { return ByteCount::max(); }
  void on_written(ByteCount, Timestamp) override {}
  void on_acked(const AckSample&, Timestamp) override {}
  void on_socket(const SocketSample&, Timestamp) override {}
  void on_new_socket(Timestamp) override {}
  bool needs_socket() const override { return false; }
  ControllerSignals signals() const override { return {}; }
};

}  // namespace paceline
