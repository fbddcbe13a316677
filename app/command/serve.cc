// `qvid serve`: QServer on the command line.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/command/commands.h"
#include "app/command/link_picture_option.h"
#include "app/command/program_run.h"
#include "app/command/report.h"
#include "app/command/web_link.h"
#include "app/log/log.h"
#include "app/log/logged_sound.h"
#include "app/options/admission.h"
#include "app/options/output_log_option.h"
#include "app/options/source_options.h"
#include "app/options/source_sound.h"
#include "app/options/transport_options.h"
#include "app/options/url.h"
#include "app/protocol/play_protocol.h"
#include "app/serve/file_catalogue.h"
#include "app/serve/identity_watch.h"
#include "app/serve/server.h"

namespace qvid::app {
namespace {

struct ServeArguments {
  std::string source;
  std::string listen = "127.0.0.1:7400";
  std::string files;
  std::size_t max_viewers = 64;
  std::size_t max_per_address = 16;
  AdmissionArguments admission;
  SourceArguments live;
  SoundArguments sound;
  std::string output_log;
  std::optional<std::string> link_picture;
  TransportArguments transport;
  ServerSecurityArguments security;
};

constexpr SoundRole kLiveRole{.sends = true, .is_all_about_it = true};

// Why nothing of the folder can be served. Nothing where something can, and where its files are so
// many that it is not known within FileCatalogue::kPatience: each is told when it is asked for.
std::optional<Error> unfit_folder(const std::string& folder) {
  std::error_code error;
  const std::filesystem::directory_iterator readable(folder, error);
  if (error) return Error{"the folder '" + folder + "' cannot be read: " + error.message()};
  std::promise<CataloguePage> found;
  FileCatalogue catalogue(folder, [](const std::string&) {});
  catalogue.list({}, 1, [&](CataloguePage page) { found.set_value(std::move(page)); });
  const CataloguePage page = found.get_future().get();
  if (!page.entries.empty() || !page.complete) return std::nullopt;
  return Error{"there is no video in the folder '" + folder +
               "': put one there first, or name another folder"};
}

Result<ServerOptions> options_of(const ServeArguments& a) {
  ServerOptions options;
  std::error_code ignored;
  const bool folder = !a.source.empty() && std::filesystem::is_directory(a.source, ignored);
  if (folder && !a.files.empty()) return Error{"give a folder or --files FOLDER, not both"};
  if (folder) {
    if (auto unfit = unfit_folder(a.source)) return *std::move(unfit);
  }
  auto live = live_options(folder ? "test" : a.source, a.live);
  if (!live) return live.error();
  options.live = *std::move(live);
  options.serves_live = !folder;
  if (folder) options.files = a.source;
  if (!folder) {
    options.live_sound = [sound = a.sound](media::LiveInOptions& source) {
      SoundDevices devices(log_sound_status);
      auto engine = sound_beside(sound, &source, kLiveRole, devices);
      if (engine) return *std::move(engine);
      log_warning("there is no sound: {}", engine.error().message);
      return media::SoundEngineOptions();
    };
    // What is wrong with the command line is told now.
    media::LiveInOptions probe = options.live;
    SoundDevices devices(log_sound_status);
    if (const auto engine = sound_beside(a.sound, &probe, kLiveRole, devices); !engine) {
      return engine.error();
    }
  }
  auto listen = paceline::parse_address(a.listen, kDefaultPort);
  if (!listen) return listen.error();
  options.listen = *listen;
  if (!folder) options.files = a.files;
  options.link_picture = a.link_picture.value_or("");
  options.max_viewers = a.max_viewers;
  options.max_per_address = a.max_per_address;
  auto admitted =
      own_admission(a.admission, options.listen,
                    {.could = folder ? "watch these videos" : "watch, and hear the microphone"});
  if (!admitted) return admitted.error();
  options.admission = *std::move(admitted);
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
  auto proxies = proxies_before(a.security);
  if (!proxies) return proxies.error();
  options.proxies = *std::move(proxies);
  return options;
}

ExitCode serve(const ServeArguments& arguments, const CommonOptions& common) {
  auto options = options_of(arguments);
  if (!options) {
    log_error("{}", options.error().message);
    return kExitUsage;
  }
  const std::string source = options->serves_live ? options->live.source.text() : arguments.source;
  const bool serves_live = options->serves_live;
  const bool guarded = static_cast<bool>(options->admission);
  const char* verb = serves_live ? "watch it with: qvid play" : "see what there is: qvid list";
  const std::string fingerprint = options->identity ? options->identity->fingerprint() : "";
  const auto output_log = open_output_log(arguments.output_log);
  if (!output_log) {
    log_error("{}", output_log.error().message);
    return kExitUsage;
  }
  if (*output_log && options->live_sound) {
    options->live_sound = [inner = std::move(options->live_sound),
                           log = *output_log](media::LiveInOptions& live) {
      media::SoundEngineOptions engine = inner(live);
      engine.input = logged(std::move(engine.input), log);
      return engine;
    };
  }
  boost::asio::io_context io(1);
  auto server = Server::start(io, std::move(*options));
  if (!server) {
    log_error("{}", server.error().message);
    return kExitFailure;
  }
  std::optional<IdentityWatch> certificate;
  const ServerSecurityArguments& files = arguments.security;
  if (!fingerprint.empty() && !files.certificate.empty()) {
    certificate.emplace(io,
                        RenewedIdentity({files.certificate, files.key},
                                        [&, listen = (*server)->address()] {
                                          return server_identity(files, arguments.transport,
                                                                 listen);
                                        }),
                        [&](auto identity) { (*server)->set_identity(std::move(identity)); });
  }
  ProgramRun run(io, *output_log, [&] {
    if (certificate) certificate->stop();
    run.ended(kExitOk, "stopped");
    (*server)->stop();
  });
  const Url url{.address = as_others_know((*server)->address()),
                .name = std::string(kLiveName),
                .fingerprint = fingerprint};
  log_info("serving '{}' on {}{}; {} {}{}", source, (*server)->address().text(),
           fingerprint.empty() ? ", without TLS" : "", verb, url.text(),
           fingerprint.empty() ? " --insecure" : "");
  if (serves_live) {
    const std::string secret = guarded ? "..." : "";  // known to who runs it; not for a log
    tell_web_link(web_link(!fingerprint.empty(), url.address, "watch/" + url.name, secret),
                  !guarded && !common.quiet && !common.json);
  }
  const ExitCode code = run.headless();
  const ServerStats stats = (*server)->stats();
  if (common.json) {
    fmt::print("{}\n", dump(json_of(stats)));
  } else if (!common.quiet) {
    fmt::print("{}", text_of(stats));
  }
  return code;
}

}  // namespace

Run add_serve(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<ServeArguments>();
  CLI::App* c = qvid.add_subcommand("serve", "Serve live video from a camera, screen, file or URL");
  c->add_option(
      "source", a->source,
      "camera[:DEVICE], screen[:DISPLAY][@WxH+X+Y|@window=NUMBER] (on Wayland screen alone: the "
      "desktop lets you choose), test, or a file or URL, live; or a folder, whose videos are served. "
      "Without it the camera if there is one, else test. `qvid sources` lists them");
  c->add_option("-l,--listen", a->listen,
                "Address to listen on; 0.0.0.0:7400 lets other machines watch (with --passphrase, "
                "--token-key or --open)")
      ->capture_default_str();
  add_admission(*c, a->admission);
  add_source_options(*c, a->live);
  add_microphone_options(*c, a->sound);
  add_output_log_option(*c, a->output_log);
  add_link_picture_option(*c, a->link_picture);
  c->add_option("--files", a->files, "Serve the video files under this folder too, by their path")
      ->check(CLI::ExistingDirectory);
  c->add_option("--max-viewers", a->max_viewers, "Refuse more viewers than this")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  c->add_option("--max-per-address", a->max_per_address,
                "Viewers from one address at the same time, other than this machine's own")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  add_transport_options(*c, a->transport);
  add_server_security(*c, a->security);
  return [a, &common] { return serve(*a, common); };
}

}  // namespace qvid::app
