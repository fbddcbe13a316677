#include "app/serve/server.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <system_error>
#include <utility>

#include "app/log/log.h"
#include "app/options/transport_options.h"
#include "app/options/url.h"
#include "app/serve/live_viewer.h"
#include "app/serve/server_client.h"
#include "app/serve/stored_viewer.h"
#include "app/web/guest_page.h"

namespace qvid::app {
namespace {

namespace fs = std::filesystem;

// Beyond max_viewers connections are told why by name; beyond this many more by the transport.
constexpr std::size_t kRefusalsAtOnce = 64;
// How long the live source goes on without a viewer.
constexpr Duration kGrace = std::chrono::seconds(3);

}  // namespace

Server::Server(boost::asio::io_context& io, ServerOptions options)
    : io_(io),
      options_(std::move(options)),
      page_(embedded_assets(), options_.link_picture),
      grace_(io),
      addresses_(options_.max_per_address) {}

Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(boost::asio::io_context& io, ServerOptions options) {
  std::unique_ptr<Server> server(new Server(io, std::move(options)));
  const ServerOptions& o = server->options_;
  if (!o.signals_file.empty()) {
    auto log = open_signal_log(io, o.signals_file);
    if (!log) return log.error();
    server->signals_ = std::move(*log);
  }
  if (!o.files.empty()) {
    server->catalogue_ = std::make_unique<FileCatalogue>(
        o.files, [](const std::string& trouble) { log_warning("{}", trouble); });
  }
  auto host = paceline::Host::open(
      io,
      {.listen = o.listen,
       .identity = o.identity,
       .session = o.session,
       .max_sessions = o.max_viewers + kRefusalsAtOnce,
       .proxies = o.proxies,
       .page = [raw = server.get()](
                   std::string_view path,
                   const paceline::Address&) { return watch_page(path, raw->page_.files()); }},
      [raw = server.get()](const auto& session) { return raw->on_session(session); },
      [](const std::string& trouble) { log_warning("{}", trouble); });
  if (!host) return host.error();
  server->host_ = std::move(*host);
  return server;
}

void Server::stop() {
  if (std::exchange(stopping_, true)) return;
  host_->close();
  grace_.cancel();
  for (const auto& client : clients_) client->close("the server stops");
  for (const auto& feed : feeds_) feed->request_stop();
}

ServerStats Server::stats() const {
  ServerStats stats = stats_;
  stats.measuring = measurements_.stats();
  for (const auto& feed : feeds_) stats.sources += feed->stats();
  return stats;
}

paceline::Session::Handler Server::on_session(const std::shared_ptr<paceline::Session>& session) {
  ++stats_.connections;
  std::size_t present = clients_.size();
  if (present >= options_.max_viewers) {
    // Who waits to be resumed holds a place only until somebody needs it.
    const auto idle =
        std::ranges::find_if(clients_, [](const auto& c) { return c->interrupted(); });
    if (idle != clients_.end()) {
      (*idle)->close("its place was needed by another viewer");
      --present;
    }
  }
  clients_.push_back(std::make_shared<Client>(*this, session));
  if (signals_) signals_->add(session);
  std::string full;
  if (present >= options_.max_viewers) {
    full = "the server has as many viewers as it takes; try again later";
  } else if (!clients_.back()->take_place()) {
    full = "too many viewers from your address: at most " + std::to_string(addresses_.most());
  }
  return clients_.back()->start(full);
}

void Server::remove(Client* client) {
  std::erase_if(clients_, [&](const auto& c) { return c.get() == client; });
}

std::optional<Error> Server::refusal(const std::string& name, const std::string& token,
                                     const std::string& peer) const {
  if (!options_.admission) return std::nullopt;
  const auto rights =
      options_.admission(qps::Join{.room = name.empty() ? "*" : name, .name = {}, .token = token},
                         qps::Origin{.who = peer});
  if (!rights) return rights.error();
  if (!rights->subscribe) return Error{"the token gives no right to watch"};
  return std::nullopt;
}

Result<std::unique_ptr<Viewer>> Server::make_viewer(const PlayRequest& request,
                                                    paceline::Session& session, Tell tell) {
  if (request.name != kLiveName) {
    auto file = find_file(request.name);
    if (!file) return file.error();
    return std::unique_ptr<Viewer>(std::make_unique<StoredViewer>(
        io_, session, *std::move(file), stored_options(), request, std::move(tell)));
  }
  const auto feed = live_feed();
  if (!feed) return feed.error();
  return std::unique_ptr<Viewer>(
      std::make_unique<LiveViewer>(io_, session, **feed, live_sound_, request, std::move(tell),
                                   [this](Feed* left) { release_feed(left); }));
}

Result<Feed*> Server::live_feed() {
  if (stopping_) return Error{"the server stops"};
  if (!options_.serves_live) return Error{"this server has files only; 'qvid list' shows them"};
  if (live_ == nullptr) {
    media::LiveInOptions live = options_.live;
    media::SoundEngineOptions sound;
    if (options_.live_sound) sound = options_.live_sound(live);
    auto feed = start_feed(std::move(live));
    if (!feed) return feed.error();
    live_ = *feed;
    live_sound_ = sound.input ? std::make_shared<SoundFeed>(io_, std::move(sound)) : nullptr;
  }
  return live_;
}

// Of files that are encoded while they are played: in the codec that every player decodes.
media::StoredOptions Server::stored_options() const {
  return {.codec = std::string(media::kPlainCodec),
          .bitrate = options_.live.bitrate,
          .size = options_.live.source_options.size};
}

Result<fs::path> Server::find_file(const std::string& name) const {
  if (!catalogue_) {
    return Error{"this server plays 'live' only; files need 'qvid serve FOLDER' or --files"};
  }
  return catalogue_->find(name);
}

std::optional<Error> Server::list(const std::string& after, std::function<void(Files)> answer) {
  if (!catalogue_) return Error{"this server has no files; it plays 'live'"};
  // Answered on the catalogue's thread.
  const bool taken = catalogue_->list(
      after, kMaxListed,
      [&io = io_, weak = std::weak_ptr(alive_), answer = std::move(answer)](CataloguePage page) {
        boost::asio::post(io, [weak, answer, page = std::move(page)] {
          if (weak.expired()) return;
          Files files{.files = {}, .more = page.more};
          for (const CatalogueEntry& e : page.entries) {
            files.files.push_back({.name = e.name,
                                   .size = e.size.value(),
                                   .duration = e.duration,
                                   .width = e.picture.width,
                                   .height = e.picture.height,
                                   .prepared = e.prepared});
          }
          answer(std::move(files));
        });
      });
  if (!taken) return Error{"too many ask for the list at once; try again later"};
  return std::nullopt;
}

Result<Feed*> Server::start_feed(media::LiveInOptions options) {
  // Those that are still stopping count: each has its threads.
  if (feeds_.size() > options_.max_viewers) {
    return Error{"the server has as many sources as it runs; try again later"};
  }
  try {
    feeds_.push_back(make_feed(std::move(options)));
  } catch (const std::system_error& e) {
    return Error{std::string("no source can be started: ") + e.what()};
  }
  return feeds_.back().get();
}

std::unique_ptr<Feed> Server::make_feed(media::LiveInOptions options) {
  return std::make_unique<Feed>(
      io_, std::move(options),
      [](Feed* feed, const media::SourceStatus& status) {
        log_at(status.ok ? LogLevel::kInfo : LogLevel::kWarning, "source {}: {}",
               feed->options().source.text(), status.text);
      },
      [this](Feed* feed) {
        stats_.sources += feed->stats();
        if (feed == live_) {
          live_ = nullptr;
          live_sound_.reset();
        }
        std::erase_if(feeds_, [&](const auto& f) { return f.get() == feed; });
      });
}

// A viewer has left it. The live device is slow to open, so it is kept for a while.
void Server::release_feed(Feed* feed) {
  if (feed->listeners() > 0) return;
  if (feed != live_ || stopping_) return feed->request_stop();
  grace_.after(kGrace, [this] {
    if (live_ == nullptr || live_->listeners() > 0) return;
    live_sound_.reset();
    std::exchange(live_, nullptr)->request_stop();  // a viewer that comes now gets a new one
  });
}

}  // namespace qvid::app
