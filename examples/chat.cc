// A chat for two, encrypted. Lines that begin with ! go before those that still wait.
//   chat host 127.0.0.1:7500            listens, and prints how to join:
//   chat 127.0.0.1:7500 sha256:...
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>

#include "must.h"
#include "transport/session/host.h"

using namespace paceline;

struct Chat {
  boost::asio::io_context io;
  boost::asio::posix::stream_descriptor keyboard{io, 0};
  std::string typed;
  std::unique_ptr<Host> host;
  std::shared_ptr<Session> session;

  void on_event(const SessionEvent& event) {
    if (std::holds_alternative<SessionEstablished>(event)) read_line();
    if (auto* said = std::get_if<MessageArrived>(&event)) std::cout << said->payload.text();
    std::cout.flush();
    if (auto* end = std::get_if<SessionClosed>(&event)) {
      std::cerr << "ended: " << end->detail << "\n";
      keyboard.close();
      host.reset();  // nothing is left to do: run() returns
    }
  }
  void read_line() {
    const auto buffer = boost::asio::dynamic_buffer(typed);
    async_read_until(keyboard, buffer, '\n', [this](auto error, auto size) {
      if (error) return session->close("the other has left");  // lines on their way are lost
      const auto line = Payload::copy_of(std::string_view(typed).substr(0, size));
      const Importance importance(line.text().starts_with("!") ? 200 : 100);
      const auto sent = session->send(kFirstStream, {importance, Position(0), qvid::kNever, line});
      if (!sent) std::cerr << "not sent: " << sent.error().message << "\n";
      typed.erase(0, size);
      read_line();
    });
  }
};

int main(int argc, char** argv) {
  if (argc != 3) return std::cerr << "chat host ADDRESS, or chat ADDRESS FINGERPRINT\n", 2;
  const bool hosting = std::string_view(argv[1]) == "host";
  const Address address = must(parse_address(argv[hosting ? 2 : 1], 7500));
  Chat chat;
  const auto handler = [&](const SessionEvent& event) { chat.on_event(event); };
  if (hosting) {
    const auto self = must(Identity::load_or_generate("./chat-identity"));
    const auto on_session = [&](const auto& begun) { return chat.session = begun, handler; };
    chat.host = must(Host::open(chat.io, {address, self, {}, 1}, on_session, [](const auto&) {}));
    std::cerr << "chat " << chat.host->address().text() << " " << self->fingerprint() << "\n";
  } else {
    const auto trust = must(Trust::make({argv[2], {}, {}}));
    chat.session = Session::connect(chat.io, {address, trust}, {}, handler);
  }
  chat.io.run();
}
