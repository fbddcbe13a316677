// A server's visitors by HTTP: who asks for a page gets it, who asks for a WebSocket is a guest by
// that; and what those read who are not let in.
#include <algorithm>

#include "transport/session/host_guest.h"
#include "transport/socket/web_socket_connection.h"
#include "transport/socket/web_socket_upgrade.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// How long one that was refused may take to read why.
constexpr Duration kTimeToRead = std::chrono::seconds(1);
// And a page of more than a few words: 2 MB at 0.3 Mbit/s.
constexpr Duration kPageTime = std::chrono::seconds(60);
// So many read such pages at once; of one group of addresses.
constexpr std::size_t kMostReaders = 256;
constexpr std::size_t kMostReadersEach = 64;

}  // namespace

void Host::on_visit(Guests::iterator guest, std::span<const std::byte> bytes) {
  const HttpVisit& visit = *guest->visit;
  if (guest->visit->receive(bytes) == HttpVisit::State::reading) return read(guest);
  HttpPage page;
  if (visit.state() == HttpVisit::State::failed) {
    page = {.status = 400, .text = "This is no GET or HEAD of HTTP/1.\n"};
  } else if (asks_for_web_socket(visit)) {
    auto answer = answer_upgrade(visit, secures_.has_value());
    if (const auto* head = std::get_if<std::string>(&answer)) return upgrade(guest, *head);
    page = std::get<HttpPage>(std::move(answer));
  } else if (options_.page) {
    page = options_.page(visit.path(), guest->address);
  }
  HttpAnswer answer =
      http_answer(page, visit.head_only(), visit.header(HttpVisit::Header::if_none_match));
  if (!answer.asset.empty() && !begin_reading(guest)) {
    answer = http_answer({.status = 503,
                          .text = "So many read pages here that this is none of them; try again.\n",
                          .headers = "Retry-After: 5\r\n"},
                         false, {});
  }
  const auto text = std::as_bytes(std::span(answer.text));
  guest->output.assign(text.begin(), text.end());
  guest->asset = answer.asset;
  guest->visit.reset();
  write_last(guest, TurnedAway::kVisit);
}

// Who reads a page takes no place of those who greet, and no newcomer takes his.
bool Host::begin_reading(Guests::iterator guest) {
  std::size_t& of_group = readers_of_[guest->group];
  if (readers_ >= kMostReaders || of_group >= kMostReadersEach) {
    if (of_group == 0) readers_of_.erase(guest->group);
    return false;
  }
  ++of_group;
  ++readers_;
  places_.remove(guest->place);
  guest->reads_page = true;
  return true;
}

void Host::end_reading(Guests::iterator guest) {
  const auto of_group = readers_of_.find(guest->group);
  if (--of_group->second == 0) readers_of_.erase(of_group);
  --readers_;
}

// It has the time to greet that it had before.
void Host::upgrade(Guests::iterator guest, std::string_view head) {
  const auto text = std::as_bytes(std::span(head));
  guest->output.assign(text.begin(), text.end());
  guest->connection->write(
      {asio::buffer(guest->output)}, [this, guest](const error_code& error, std::size_t) {
        if (guest->gone) return;
        if (error) return turn_away(guest, TurnedAway::kEnded);
        guest->connection = make_web_socket_connection(std::move(guest->connection), io_);
        guest->visit.reset();
        guest->output.clear();
        read(guest);
      });
}

// The guest's output, and then no more; it is closed when it has read that, or soon.
void Host::write_last(Guests::iterator guest, TurnedAway why) {
  guest->refused = why;
  linger(guest, guest->asset.empty() ? kTimeToRead : kPageTime);
  guest->connection->write(
      {asio::buffer(guest->output), asio::buffer(guest->asset.data(), guest->asset.size())},
      [this, guest](const error_code& error, std::size_t) {
        if (guest->gone) return;
        if (error) return turn_away(guest, TurnedAway::kEnded);
        guest->connection->shut_down();
        if (!guest->reading) read(guest);
      });
}

// What is on its way to the guest, who has broken the rules; it is closed when it has read that, or soon.
void Host::let_read(Guests::iterator guest, TurnedAway why) {
  guest->refused = why;
  linger(guest, kTimeToRead);
  guest->connection->shut_down();
  read(guest);
}

void Host::linger(Guests::iterator guest, Duration time) {
  guest->timer.expires_after(time);
  guest->timer.async_wait([this, guest, alive = std::weak_ptr(alive_)](const error_code& aborted) {
    if (!aborted && !alive.expired()) turn_away(guest, TurnedAway::kEnded);
  });
}

}  // namespace paceline
