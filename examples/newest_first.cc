// A sender with four times as much as its reader takes: what is important gets through, of the
// pictures the newest, and those that would come late are cancelled and reported.
#include <future>
#include <map>
#include <thread>

#include "must.h"
#include "transport/session/host.h"

using namespace paceline;
using namespace std::chrono_literals;

// Takes 20 ms for a message. An io_context and its sessions stay on one thread.
void read_slowly(std::promise<Address>& listening) {
  boost::asio::io_context io;
  std::unique_ptr<Host> host;
  std::shared_ptr<Session> session;  // ours to keep: the host keeps none
  const auto on_event = [&](const SessionEvent& event) {
    if (std::holds_alternative<MessageArrived>(event)) std::this_thread::sleep_for(20ms);
    if (std::holds_alternative<SessionClosed>(event)) host.reset();
  };
  const auto on_session = [&](const auto& begun) { return session = begun, on_event; };
  host = must(Host::open(io, {{"127.0.0.1", 0}, {}, {}}, on_session, [](const auto&) {}));
  listening.set_value(host->address());
  io.run();
}

int main() {
  constexpr std::uint64_t kMessages = 800;  // one every 5 ms; every 50th, a key, must arrive
  std::promise<Address> listening;
  std::jthread reader(read_slowly, std::ref(listening));
  boost::asio::io_context io;
  boost::asio::steady_timer next(io);
  std::map<MessageId, bool> waiting;              // and whether it is a key picture
  std::map<std::pair<bool, Outcome>, int> ended;  // how many
  std::shared_ptr<Session> session;
  std::uint64_t made = 0;
  std::function<void()> send = [&] {
    const bool key = made % 50 == 0;
    const Message message{.importance = Importance(key ? 200 : 100),
                          .position = Position(kMessages - made),  // the newest goes first
                          .deadline = key ? qvid::kNever : std::chrono::steady_clock::now() + 200ms,
                          .payload = Payload::copy_of(std::string(20'000, 'x'))};
    if (const auto id = session->send(kFirstStream, message)) waiting[*id] = key;
    next.expires_after(5ms);
    if (++made < kMessages) next.async_wait([&](const auto&) { send(); });
  };
  session =
      Session::connect(io, {listening.get_future().get(), {}}, {}, [&](const SessionEvent& event) {
        if (std::holds_alternative<SessionEstablished>(event)) send();
        if (const auto* end = std::get_if<MessageEnded>(&event)) {
          ++ended[{waiting[end->message], end->outcome}];
          if (waiting.erase(end->message) && waiting.empty() && made == kMessages) session->close();
        }
      });
  io.run();
  for (const bool key : {true, false})
    std::cout << (key ? "key pictures: " : "others: ") << ended[{key, Outcome::kDelivered}]
              << " delivered, " << ended[{key, Outcome::kCancelled}] << " cancelled\n";
}
