// `qvid list`: what a server has to play.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/command/commands.h"
#include "app/command/report.h"
#include "app/log/log.h"
#include "app/options/token_option.h"
#include "app/options/transport_options.h"
#include "app/options/values.h"
#include "app/protocol/play_protocol.h"
#include "app/protocol/questioner.h"
#include "base/text.h"
#include "pubsub/wire/control_message.h"
#include "ui/window/progress_bar.h"

namespace qvid::app {
namespace {

// More than any server lists (FileCatalogue::kMaxFiles).
constexpr std::size_t kMostFiles = 100'000;

struct ListArguments {
  std::string url;
  CredentialArguments token;
  TransportArguments transport;
  ClientArguments client;
};

// Asks for page after page.
class Listing final : public Questioner {
 public:
  Listing(Destination to, std::string token)
      : Questioner(std::move(to)), token_(std::move(token)) {}

  const std::vector<ListedFile>& files() const { return files_; }

 private:
  void ask() override { ask_after(""); }

  void on_message(std::string_view text) override {
    auto message = parse_server_message(text);
    if (!message) return fail(kExitRefused, message.error().message);
    if (const auto* refused = std::get_if<Refused>(&*message)) {
      return fail(kExitRefused, "the server refuses: " + refused->reason);
    }
    auto* page = std::get_if<Files>(&*message);
    if (page == nullptr) return fail(kExitRefused, "it answers something else than a list");
    const bool more = page->more && !page->files.empty() && files_.size() < kMostFiles;
    for (ListedFile& file : page->files) files_.push_back(std::move(file));
    if (more) return ask_after(files_.back().name);
    finish("all is listed");
  }

  void ask_after(const std::string& name) {
    qps::send_control(session(), serialise(ClientMessage(ListRequest{name, token_})));
  }

  const std::string token_;
  std::vector<ListedFile> files_;
};

std::string size_text(std::int64_t bytes) {
  constexpr double kMega = 1e6;
  const double mega = static_cast<double>(bytes) / kMega;
  return mega < 1000 ? fmt::format("{:.1f} MB", mega) : fmt::format("{:.2f} GB", mega / 1000);
}

std::string files_text(const std::vector<ListedFile>& files) {
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

nlohmann::json files_json(const std::vector<ListedFile>& files) {
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
    log_error("{}", to.error().message);
    return kExitUsage;
  }
  const auto token = shown_token(arguments.token);
  if (!token) {
    log_error("{}", token.error().message);
    return kExitUsage;
  }
  Listing listing(*std::move(to), *token);
  if (const ExitCode code = listing.run(); code != kExitOk) return code;
  fmt::print("{}",
             common.json ? dump(files_json(listing.files())) + "\n" : files_text(listing.files()));
  return kExitOk;
}

}  // namespace

Run add_list(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<ListArguments>();
  CLI::App* c = qvid.add_subcommand("list", "Show the videos that a server has");
  c->add_option("url", a->url, "qvid://host[:port]")->required();
  add_token_options(*c, a->token);
  add_transport_options(*c, a->transport);
  add_client_options(*c, a->client);
  return [a, &common] { return list(*a, common); };
}

}  // namespace qvid::app
