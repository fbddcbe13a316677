// How a RoomParty takes part in the order of its room: raised hands, who is held, locks.
#include <utility>

#include "app/room/room_party.h"
#include "ui/text/translated.h"

namespace qvid::app {

void RoomParty::raise_hand(bool up) {
  hand_up_ = up;
  if (client_ && client_->joined() && !client_->raise_hand(up)) {
    callbacks_.notice(ui::tr("this broker knows of no raised hands"));
  }
}

void RoomParty::administer(qps::Admin admin) {
  if (client_ && client_->joined()) client_->administer(std::move(admin));
}

void RoomParty::on_hand(const qps::Hand& hand) {
  {
    const std::lock_guard lock(mutex_);
    report_.order.own_hand = hand.number;
  }
  callbacks_.changed();
}

void RoomParty::on_held(const qps::Held& held) {
  if (held.track != kSoundTrack) return;
  {
    const std::lock_guard lock(mutex_);
    report_.order.held = held.on;
  }
  callbacks_.notice(
      held.on ? ui::tr("who runs the room has muted you for all: raise your hand to speak")
              : ui::tr("who runs the room lets you speak again"));
  callbacks_.changed();
}

void RoomParty::on_locked(bool on) {
  {
    const std::lock_guard lock(mutex_);
    report_.order.locked = on;
  }
  callbacks_.notice(on ? ui::tr("the room is locked: nobody else can join")
                       : ui::tr("the room is open again"));
  callbacks_.changed();
}

}  // namespace qvid::app
