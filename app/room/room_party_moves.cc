// Where a party of a room is: it joins, comes back, and moves to another node.

#include <boost/asio/post.hpp>
#include <utility>

#include "app/log/log.h"
#include "app/room/room_party.h"
#include "base/clock.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

// A broker has missed a client that went without a word by then.
constexpr Duration kOldSessionGone = std::chrono::seconds(15);
constexpr Duration kLasting = std::chrono::seconds(10);  // a membership that was no failure
// A broker that is replaced tells all its clients at once: over so long they come back.
constexpr Duration kHandOver = std::chrono::seconds(2);
// Until another node is asked than one that did not let it in.
constexpr Duration kMoveAgain = std::chrono::milliseconds(300);
// In at two nodes: less than the one that it leaves waits for (qps::Broker::kMoving).
constexpr Duration kMoveTime = std::chrono::milliseconds(1500);

}  // namespace

std::unique_ptr<qps::RoomClient> RoomParty::new_client() {
  auto trust = options_.trust;
  if (trust != nullptr && !nodes_.at_url()) {
    // It was parsed when it was told, so this cannot fail.
    trust = *paceline::Trust::make({.fingerprint = nodes_.at().fingerprint,
                                    .ca_file = {},
                                    .known_hosts = {},
                                    .first_use = paceline::FirstUse::kNever});
  }
  return std::make_unique<qps::RoomClient>(
      io_,
      paceline::Session::Remote{
          .address = nodes_.at().address, .trust = std::move(trust), .proxy = options_.proxy},
      options_.session, join(), client_callbacks(++made_));
}

void RoomParty::connect() {
  set_status(ui::filled(ui::tr("connecting to {}"), nodes_.at().address.text()));
  told_of_all_ = false;
  client_ = new_client();
  number_ = made_;
}

// The broker hands its clients over: in at another node, and then out here.
bool RoomParty::move() {
  if (ended_ || next_ || !client_->joined() || !nodes_.has_others()) return false;
  nodes_.go_on();
  log_info("moves to {}", nodes_.at().address.text());
  next_ = new_client();
  return true;
}

void RoomParty::on_let_in(int number) {
  if (is_next(number)) return move_in();
  if (number == number_ && !joined_at_) come_in();  // once, whatever a broker says
}

void RoomParty::come_in() {
  members_.clear();
  places_.clear();
  seats_.joined();
  on_joined();
}

// It is in at both until what it sees comes from the new one, and what it sends goes by the new one.
void RoomParty::move_in() {
  settle();
  former_ = std::move(client_);
  client_ = std::move(next_);
  former_number_ = std::exchange(number_, made_);
  {
    const std::lock_guard lock(mutex_);
    ++report_.reconnections;
  }
  members_.renew();
  places_.moved();
  // The other node may know of some later than it is left.
  move_timer_.after(kMoveTime, [this] {
    settle();
    for (const std::string& name : members_.take_missing()) on_member_left(name);
  });
  on_joined();
}

void RoomParty::on_seat_moved(std::uint32_t viewer) {
  if (!former_) return;
  if (places_.has_moved(viewer)) former_->unwatch(viewer);
  settle_if_over();
}

void RoomParty::settle_if_over() {
  const auto wanted = [](const RoomPublisher* of) { return of != nullptr && !of->paused(); };
  if (places_.has_moved() && !wanted(source_.former()) && !wanted(share_.former()) &&
      (sound_ == nullptr || !sound_->former_wanted())) {
    settle();
  }
}

void RoomParty::settle() {
  if (!former_) return;
  for (const qps::Seat& seat : places_.settle()) show(seat);
  source_.settle();
  share_.settle();
  if (sound_ != nullptr) sound_->settle();
  put_aside(std::move(former_));
}

std::optional<SeatPlaces::Of> RoomParty::membership(int number) const {
  if (client_ && number == number_) return SeatPlaces::Of::kNow;
  if (former_ && number == former_number_) return SeatPlaces::Of::kFormer;
  return std::nullopt;
}

void RoomParty::on_ended(int number, const std::string& reason, bool final) {
  if (is_next(number)) return on_not_moved(reason);
  const auto of = membership(number);
  if (!of) return;
  *of == SeatPlaces::Of::kNow ? on_left(reason, final) : settle();
}

// That node does not let it in: perhaps another one does, or it later. Until the broker ends it stays.
void RoomParty::on_not_moved(const std::string& reason) {
  log_warning("{}: {}", nodes_.at().address.text(), reason);
  put_aside(std::move(next_));
  moves_again_ = true;
  retry_timer_.after(kMoveAgain, [this] {
    moves_again_ = false;
    if (client_) move();
  });
}

void RoomParty::leave_room() {
  {
    const std::lock_guard lock(mutex_);
    report_.joined = false;
    report_.order = {};
  }
  source_.left();
  share_.left();
  if (sound_ != nullptr) sound_->left();
  if (chat_ != nullptr) chat_->left();
  seats_.left();
  move_timer_.cancel();
  put_aside(std::move(former_));
}

// Called by the client itself, which shall not go from under its feet.
void RoomParty::put_aside(std::unique_ptr<qps::RoomClient> client) {
  boost::asio::post(io_, [old = std::shared_ptr<qps::RoomClient>(std::move(client))] {});
}

void RoomParty::on_left(const std::string& reason, bool final) {
  if (ended_) return;
  leave_room();
  // A node that it was about to leave has had no time for that, and is no reason to stay away.
  const bool removed = client_ && client_->removed() && !std::exchange(moves_again_, false);
  const bool moving = client_ && client_->moving();
  put_aside(std::move(client_));
  // It is on its way to another node, and who lets it in there puts it out here.
  if (next_) {
    client_ = std::move(next_);
    number_ = made_;
    joined_at_.reset();
    lost_at_ = steady_now();
    return;
  }
  const Timestamp now = steady_now();
  const bool was_member = joined_at_.has_value();
  if (const auto joined = std::exchange(joined_at_, std::nullopt)) {
    lost_at_ = now;
    if (now - *joined > kLasting) backoff_.reset();
  }
  // Refused because of a name that its own old session may still have.
  const bool may_be_own = lost_at_ && now - *lost_at_ < kOldSessionGone;
  if (removed || (final && (was_member || !may_be_own))) return end(kExitRefused, reason);
  if (!options_.retry) return end(kExitUnreachable, reason);
  // Where there are other nodes, nobody has to wait for this one to be replaced.
  const bool elsewhere = nodes_.has_others();
  nodes_.go_on();
  if (moving) return try_again(reason, elsewhere ? Duration{} : backoff_.spread_over(kHandOver));
  try_again(reason, backoff_.next());
}

void RoomParty::try_again(const std::string& why, Duration wait) {
  const std::string text =
      ui::filled(ui::tr("{}; trying again in {:.2g} s"), why, to_seconds(wait));
  log_warning("{}", text);
  set_status(text);
  retry_timer_.after(wait, [this] {
    {
      const std::lock_guard lock(mutex_);
      ++report_.reconnections;
    }
    connect();
  });
}

}  // namespace qvid::app
