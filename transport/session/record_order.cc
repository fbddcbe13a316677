#include "transport/session/record_order.h"

namespace paceline {
namespace {

struct OrderCheck {
  using Wrong = std::optional<std::string>;

  const Channel& channel;
  Side side;
  bool greeting;

  // Not by `+`, which a release build of GCC 14 takes for an overflow.
  static Wrong stray(const char* what) { return std::string("a stray ").append(what); }
  Wrong on_open() const {
    if (channel.open) return std::nullopt;
    return "content before the greeting";
  }
  Wrong on_active() const {
    if (!channel.open || channel.has_content) return on_open();
    return "content on a channel that is not active";
  }

  // A server has had them before there was a channel (Greeter); a client never gets any.
  Wrong operator()(const Hello&) const { return stray("hello"); }
  Wrong operator()(const Bind&) const { return stray("bind"); }
  Wrong operator()(const Welcome&) const { return greeting ? Wrong() : stray("welcome"); }
  Wrong operator()(const Bound&) const {
    return channel.open || greeting ? stray("bound") : Wrong();
  }
  // In the place of a greeting's answer it is a refusal.
  Wrong operator()(const Close&) const { return std::nullopt; }

  Wrong operator()(const Segments&) const {
    return channel.open && side == Side::kServer ? stray("wish for segments") : on_open();
  }
  Wrong operator()(const Chunk&) const { return on_active(); }
  Wrong operator()(const Ping&) const { return on_active(); }
  Wrong operator()(const Cancel&) const { return on_active(); }
  Wrong operator()(const StreamClose&) const { return on_active(); }
  template <class Other>
  Wrong operator()(const Other&) const {
    return on_open();
  }
};

}  // namespace

std::optional<std::string> out_of_place(const Record& record, const Channel& channel, Side side,
                                        bool greeting) {
  return std::visit(OrderCheck{channel, side, greeting}, record);
}

}  // namespace paceline
