#include "tests/e2e/browser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace e2e {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using nlohmann::json;

std::string chromium() {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    for (const char* const name : {"chromium", "chromium-browser", "google-chrome"}) {
      const std::string file = folder + "/" + name;
      std::error_code none;
      if (std::filesystem::exists(file, none)) return file;
    }
  }
  return {};
}

std::vector<std::string> command(const std::filesystem::path& folder,
                                 const std::vector<std::string>& more) {
  std::vector<std::string> words{chromium(),
                                 "--headless=new",
                                 "--no-sandbox",
                                 "--remote-debugging-port=0",
                                 "--user-data-dir=" + folder.string(),
                                 "--use-fake-device-for-media-stream",
                                 "--use-fake-ui-for-media-stream",
                                 "--autoplay-policy=no-user-gesture-required",
                                 "--no-first-run",
                                 "--window-size=1000,700"};
  words.insert(words.end(), more.begin(), more.end());
  words.emplace_back("about:blank");
  return words;
}

}  // namespace

bool has_browser() { return !chromium().empty(); }

class Browser::Socket {
 public:
  explicit Socket(const std::string& port) {
    json pages = json::parse(get(port, "/json/list"));
    std::string url;
    for (const json& page : pages) {
      if (page["type"] == "page") url = page["webSocketDebuggerUrl"];
    }
    const std::size_t path = url.find('/', url.find("://") + 3);
    connect(stream_.next_layer(), port);
    stream_.read_message_max(64 << 20);
    wait("the handshake",
         [&](auto done) { stream_.async_handshake("127.0.0.1:" + port, url.substr(path), done); });
  }

  json ask(const json& request) {
    const std::string text = request.dump();
    const std::string what = "an answer to " + text.substr(0, 200);
    wait(what, [&](auto done) { stream_.async_write(asio::buffer(text), done); });
    for (;;) {
      beast::flat_buffer buffer;
      wait(what, [&](auto done) { stream_.async_read(buffer, done); });
      json answer = json::parse(beast::buffers_to_string(buffer.data()));
      if (answer.value("id", 0) == request["id"]) return answer;
    }
  }

 private:
  // Begins something and waits for it. A browser that hangs is no answer: then it throws, as for any
  // error, and whatever has begun is cancelled before what it uses is gone.
  void wait(const std::string& what, const auto& begin) {
    std::optional<boost::system::error_code> result;
    begin([&](boost::system::error_code error, auto...) { result = error; });
    io_.restart();
    io_.run_for(kPatience);
    if (!result) {
      boost::system::error_code none;
      stream_.next_layer().close(none);
      if (plain_) plain_->close(none);
      io_.run_for(kPatience);
      throw std::runtime_error("the browser does not answer: " + what);
    }
    if (*result) throw std::runtime_error(what + ": " + result->message());
  }

  void connect(tcp::socket& socket, const std::string& port) {
    const tcp::endpoint to(asio::ip::address_v4::loopback(),
                           static_cast<std::uint16_t>(std::stoi(port)));
    wait("a connection to the browser", [&](auto done) { socket.async_connect(to, done); });
  }

  std::string get(const std::string& port, const std::string& path) {
    tcp::socket& socket = plain_.emplace(io_);
    connect(socket, port);
    beast::http::request<beast::http::empty_body> request(beast::http::verb::get, path, 11);
    request.set(beast::http::field::host, "127.0.0.1:" + port);
    beast::flat_buffer buffer;
    beast::http::response<beast::http::string_body> response;
    wait(path, [&](auto done) { beast::http::async_write(socket, request, done); });
    wait(path, [&](auto done) { beast::http::async_read(socket, buffer, response, done); });
    plain_.reset();
    return response.body();
  }

  asio::io_context io_;
  std::optional<tcp::socket> plain_;
  beast::websocket::stream<tcp::socket> stream_{io_};
};

Browser::Browser(const std::vector<std::string>& more) : process_(command(folder_.path(), more)) {
  const auto line = process_.wait_for_log("DevTools listening on ws://127.0.0.1:");
  if (!line) {
    trouble_ = "it does not start: " + process_.log();
    return;
  }
  const std::size_t from = line->find("127.0.0.1:") + 10;
  socket_ = std::make_unique<Socket>(line->substr(from, line->find('/', from) - from));
  call("Page.enable", json::object());
}

// It ends its own processes.
Browser::~Browser() {
  try {
    if (socket_) call("Browser.close", json::object());
  } catch (const std::exception&) {  // it has ended before
  }
}

json Browser::call(const std::string& method, json parameters) {
  return socket_->ask({{"id", ++last_id_}, {"method", method}, {"params", std::move(parameters)}});
}

void Browser::open(const std::string& url) { call("Page.navigate", {{"url", url}}); }

Browser::Opened Browser::open_page(const std::string& url) {
  open(url);
  const std::string without =
      "document.body?.textContent.includes('built without the page for browsers')";
  if (!wait_until("window.qvid || " + without, Milliseconds(10'000))) return Opened::kNo;
  return evaluate("Boolean(" + without + ")") == true ? Opened::kWithoutPage : Opened::kYes;
}

json Browser::evaluate(const std::string& expression) {
  const json answer = call("Runtime.evaluate", {{"expression", expression},
                                                {"returnByValue", true},
                                                {"awaitPromise", true},
                                                {"userGesture", true}});
  return answer.value("/result/result/value"_json_pointer, json());
}

void Browser::press(const std::string& key) {
  struct Named {
    const char* key;
    int code;
    const char* text;
  };
  static constexpr Named kNamed[] = {{"Tab", 9, ""}, {"Enter", 13, "\r"},    {"Escape", 27, ""},
                                     {" ", 32, " "}, {"ArrowRight", 39, ""}, {"ArrowLeft", 37, ""}};
  json down = {{"type", "keyDown"}, {"key", key}};
  const auto* const named = std::find_if(std::begin(kNamed), std::end(kNamed),
                                         [&](const Named& n) { return key == n.key; });
  const bool letter = named == std::end(kNamed);
  down["windowsVirtualKeyCode"] = letter ? std::toupper(key.front()) : named->code;
  if (const std::string text = letter ? key : named->text; !text.empty()) down["text"] = text;
  call("Input.dispatchKeyEvent", down);
  down["type"] = "keyUp";
  down.erase("text");
  call("Input.dispatchKeyEvent", down);
}

void Browser::type(const std::string& text) {
  for (const char c : text) press(std::string(1, c));
}

json Browser::accessible() {
  return call("Accessibility.getFullAXTree", json::object())
      .value("/result/nodes"_json_pointer, json());
}

void Browser::allow_scripts() { call("Page.setBypassCSP", {{"enabled", true}}); }

void Browser::prefer(const std::string& languages) {
  call("Emulation.setUserAgentOverride",
       {{"userAgent", evaluate("navigator.userAgent")}, {"acceptLanguage", languages}});
}

bool Browser::wait_until(const std::string& expression, Milliseconds at_most) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  while (std::chrono::steady_clock::now() < end) {
    if (evaluate("Boolean(" + expression + ")") == true) return true;
    std::this_thread::sleep_for(Milliseconds(200));
  }
  return false;
}

}  // namespace e2e
