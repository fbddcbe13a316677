// `qvid list`: what a server has to play.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/commands.h"
#include "app/play_protocol.h"
#include "app/report.h"
#include "app/transport_options.h"
#include "app/values.h"
#include "base/text.h"
#include "pubsub/control_message.h"
#include "transport/session.h"
#include "ui/progress_bar.h"

namespace qvid::app {
namespace {

// More than any server lists (FileCatalogue::kMaxFiles).
constexpr std::size_t kMostFiles = 100'000;

struct ListArguments {
  std::string url;
  TransportArguments transport;
  ClientArguments client;
};

// Asks for page after page.
class Listing {
 public:
  Listing(boost::asio::io_context& io, const Url& url, const paceline::SessionConfig& config,
          std::shared_ptr<paceline::Trust> trust)
      : where_(url.address.text()), trust_(std::move(trust)) {
    session_ = paceline::Session::connect(
        io, {.address = url.address, .trust = trust_}, config,
        [this](paceline::SessionEvent&& event) { on_event(std::move(event)); });
  }

  void stop() { session_->close("stopped"); }
  bool running() const { return running_; }
  ExitCode code() const { return code_; }
  const std::vector<ListedFile>& files() const { return files_; }

 private:
  void on_event(paceline::SessionEvent&& event) {
    if (std::holds_alternative<paceline::SessionEstablished>(event)) {
      if (const auto notice = trust_ ? trust_->take_notice() : std::nullopt) {
        spdlog::info("{}", *notice);
      }
      ask("");
    } else if (const auto* message = std::get_if<paceline::MessageArrived>(&event)) {
      on_message(message->payload.text());
    } else if (const auto* closed = std::get_if<paceline::SessionClosed>(&event)) {
      running_ = false;
      if (done_) return;
      spdlog::error("{}: {}", where_, closed->detail);
      code_ = closed->reason == paceline::CloseReason::kConnectionLost ||
                      closed->reason == paceline::CloseReason::kTimeout
                  ? kExitUnreachable
                  : kExitRefused;
    }
  }

  void on_message(std::string_view text) {
    auto message = parse_server_message(text);
    if (!message) return end(kExitRefused, message.error().message);
    if (const auto* refused = std::get_if<Refused>(&*message)) {
      return end(kExitRefused, "the server refuses: " + refused->reason);
    }
    auto* page = std::get_if<Files>(&*message);
    if (page == nullptr) return end(kExitRefused, "it answers something else than a list");
    const bool more = page->more && !page->files.empty() && files_.size() < kMostFiles;
    for (ListedFile& file : page->files) files_.push_back(std::move(file));
    if (more) return ask(files_.back().name);
    done_ = true;
    code_ = kExitOk;
    session_->close("all is listed");
  }

  void ask(const std::string& after) {
    qps::send_control(*session_, serialise(ClientMessage(ListRequest{after})));
  }

  void end(ExitCode code, const std::string& why) {
    spdlog::error("{}: {}", where_, why);
    code_ = code;
    done_ = true;
    session_->close(why);
  }

  std::string where_;
  std::shared_ptr<paceline::Trust> trust_;
  std::shared_ptr<paceline::Session> session_;
  std::vector<ListedFile> files_;
  ExitCode code_ = kExitUnreachable;
  bool done_ = false;    // code_ says how
  bool running_ = true;  // until the session is closed
};

std::string size_text(std::int64_t bytes) {
  constexpr double kMega = 1e6;
  const double mega = static_cast<double>(bytes) / kMega;
  return mega < 1000 ? fmt::format("{:.1f} MB", mega) : fmt::format("{:.2f} GB", mega / 1000);
}

std::string text_of(const std::vector<ListedFile>& files) {
  if (files.empty()) return "no videos\n";
  std::string text =
      fmt::format("{:>9}  {:>10}  {:>9}  {:8}  name\n", "duration", "size", "picture", "prepared");
  for (const ListedFile& f : files) {
    text += fmt::format("{:>9}  {:>10}  {:>9}  {:8}  {}\n",
                        f.duration > Duration::zero() ? ui::place_text(f.duration) : "?",
                        size_text(f.size), fmt::format("{}x{}", f.width, f.height),
                        f.prepared ? "yes" : "no", printable(f.name));
  }
  return text;
}

nlohmann::json json_of(const std::vector<ListedFile>& files) {
  nlohmann::json list = nlohmann::json::array();
  for (const ListedFile& f : files) {
    list.push_back({{"name", f.name},
                    {"bytes", f.size},
                    {"seconds", to_seconds(f.duration)},
                    {"width", f.width},
                    {"height", f.height},
                    {"prepared", f.prepared}});
  }
  return {{"files", std::move(list)}};
}

ExitCode list(const ListArguments& arguments, const CommonOptions& common) {
  auto to = destination_of(arguments.url, arguments.transport, arguments.client);
  if (!to) {
    spdlog::error("{}", to.error().message);
    return kExitUsage;
  }
  to->session.resume_limit = {};
  to->session.standby = 0;

  boost::asio::io_context io(1);
  Listing listing(io, to->url, to->session, to->trust);
  boost::asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code& error, int) {
    if (!error) listing.stop();
  });
  // The signals alone keep nothing running.
  while (listing.running() && io.run_one() > 0) {
  }
  if (listing.code() != kExitOk) return listing.code();
  fmt::print("{}", common.json ? dump(json_of(listing.files())) + "\n" : text_of(listing.files()));
  return kExitOk;
}

}  // namespace

Run add_list(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<ListArguments>();
  CLI::App* c = qvid.add_subcommand("list", "Show the videos that a server has");
  c->add_option("url", a->url, "qvid://host[:port]")->required();
  add_transport_options(*c, a->transport);
  add_client_options(*c, a->client);
  return [a, &common] { return list(*a, common); };
}

}  // namespace qvid::app
