// `qvid serve`: QServer on the command line.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/play_protocol.h"
#include "app/report.h"
#include "app/server.h"
#include "app/source_options.h"
#include "app/transport_options.h"
#include "app/url.h"

namespace qvid::app {
namespace {

struct ServeArguments {
  std::string source;
  std::string listen = "127.0.0.1:7400";
  std::string files;
  std::size_t max_viewers = 64;
  SourceArguments live;
  TransportArguments transport;
  ServerSecurityArguments security;
};

Result<ServerOptions> options_of(const ServeArguments& a) {
  ServerOptions options;
  std::error_code ignored;
  const bool folder = !a.source.empty() && std::filesystem::is_directory(a.source, ignored);
  if (folder && !a.files.empty()) return Error{"give a folder or --files FOLDER, not both"};
  auto live = live_options(folder ? "test" : a.source, a.live);
  if (!live) return live.error();
  options.live = *std::move(live);
  options.serves_live = !folder;
  if (folder) options.files = a.source;
  auto listen = paceline::parse_address(a.listen, kDefaultPort);
  if (!listen) return listen.error();
  options.listen = *listen;
  if (!folder) options.files = a.files;
  options.max_viewers = a.max_viewers;
  options.signals_file = a.transport.signals;
  auto session = session_config(a.transport);
  if (!session) return session.error();
  options.session = *session;
  // A player sends one short request: nobody shall make the server hold more.
  options.session.limits = {.max_message = ByteCount(kMaxControlMessage),
                            .max_reassembly = ByteCount(4 * kMaxControlMessage),
                            .max_streams = 4};
  auto identity = server_identity(a.security, a.transport, options.listen);
  if (!identity) return identity.error();
  options.identity = *identity;
  return options;
}

ExitCode serve(const ServeArguments& arguments, const CommonOptions& common) {
  auto options = options_of(arguments);
  if (!options) {
    spdlog::error("{}", options.error().message);
    return kExitUsage;
  }
  const std::string source = options->serves_live ? options->live.source.text() : arguments.source;
  const char* verb =
      options->serves_live ? "watch it with: qvid play" : "see what there is: qvid list";
  const std::string fingerprint = options->identity ? options->identity->fingerprint() : "";
  boost::asio::io_context io(1);
  auto server = Server::start(io, std::move(*options));
  if (!server) {
    spdlog::error("{}", server.error().message);
    return kExitFailure;
  }
  boost::asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code& error, int) {
    if (error) return;
    spdlog::info("stopping");
    signals.clear();  // a second Ctrl-C ends at once, whatever a device does
    (*server)->stop();
  });
  const Url url{.address = as_others_know((*server)->address()),
                .name = std::string(kLiveName),
                .fingerprint = fingerprint};
  spdlog::info("serving '{}' on {}{}; {} {}{}", source, (*server)->address().text(),
               fingerprint.empty() ? ", without TLS" : "", verb, url.text(),
               fingerprint.empty() ? " --insecure" : "");
  io.run();
  const ServerStats stats = (*server)->stats();
  if (common.json) {
    fmt::print("{}\n", dump(json_of(stats)));
  } else if (!common.quiet) {
    fmt::print("{}", text_of(stats));
  }
  return kExitOk;
}

}  // namespace

Run add_serve(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<ServeArguments>();
  CLI::App* c = qvid.add_subcommand("serve", "Serve live video from a camera, screen, file or URL");
  c->add_option(
      "source", a->source,
      "camera[:DEVICE], screen[:DISPLAY], test, or a file or URL, live; or a folder, whose "
      "videos are served. Without it the camera if there is one, else test. `qvid "
      "sources` lists them");
  c->add_option("-l,--listen", a->listen,
                "Address to listen on; 0.0.0.0:7400 lets other machines watch")
      ->capture_default_str();
  add_source_options(*c, a->live);
  c->add_option("--files", a->files, "Serve the video files under this folder too, by their path")
      ->check(CLI::ExistingDirectory);
  c->add_option("--max-viewers", a->max_viewers, "Refuse more viewers than this")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  add_transport_options(*c, a->transport);
  add_server_security(*c, a->security);
  return [a, &common] { return serve(*a, common); };
}

}  // namespace qvid::app
