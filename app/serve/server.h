// QServer: listens, answers requests to play, and runs the sources that are watched.
//
// A request for `live` joins the one live feed, which starts with its first viewer and stops with
// its last; any other name is a stored video under the folder given, with a reader of its own.
//
// Bad peers: a connection that does not ask within kRequestTimeout, asks nonsense or speaks
// something else is closed with the reason; connections beyond max_viewers, or beyond those of
// their address, are told so, and who is not admitted, which he may mend kMostRefusals times.
// Others see nothing of it. Thread: the io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "app/feed/feed.h"
#include "app/feed/sound_feed.h"
#include "app/options/admission.h"
#include "app/protocol/play_protocol.h"
#include "app/serve/file_catalogue.h"
#include "app/serve/viewer.h"
#include "app/web/link_preview.h"
#include "media/stored/stored_source.h"
#include "pubsub/broker/address_limit.h"
#include "pubsub/broker/measurement.h"
#include "transport/session/host.h"
#include "transport/session/signal_log.h"
#include "transport/socket/timer.h"

namespace qvid::app {

struct ServerOptions {
  paceline::Address listen;
  bool serves_live = true;
  media::LiveInOptions live;
  // The sound of the live source, which is about to begin; the source may be told to hand its own
  // on. Empty, or without an input: there is none.
  std::function<media::SoundEngineOptions(media::LiveInOptions&)> live_sound;
  std::filesystem::path files;    // whose files are served; empty: none
  std::string link_picture = {};  // as LinkPreview takes it; empty: none
  std::size_t max_viewers = 64;
  std::size_t max_per_address = 16;  // of them; not of loopback
  Admission admission = {};          // empty: everybody who reaches it. Rooms are names of videos
  paceline::SessionConfig session;
  std::shared_ptr<paceline::Identity> identity;  // empty: no TLS
  std::vector<paceline::Network> proxies = {};   // HostOptions::proxies
  std::string signals_file;                      // CSV of what the sessions measure; empty: none
};

struct ServerStats {
  std::int64_t connections = 0;
  std::int64_t refused = 0;
  qps::MeasuringStats measuring;
  ViewerStats viewers;         // of all that have gone
  media::LiveInStats sources;  // of all
};

class Server {
 public:
  static Result<std::unique_ptr<Server>> start(boost::asio::io_context& io, ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Ends listening, sessions and sources; the io_context runs out of work when all have gone.
  void stop();
  // For who comes from now on. Precondition: it was started with one.
  void set_identity(std::shared_ptr<paceline::Identity> identity) {
    host_->set_identity(std::move(identity));
  }
  paceline::Address address() const { return host_->address(); }
  ServerStats stats() const;

 private:
  class Client;
  Server(boost::asio::io_context& io, ServerOptions options);

  paceline::Session::Handler on_session(const std::shared_ptr<paceline::Session>& session);
  // Why it may not have the video of that name; all that there are where that is empty.
  std::optional<Error> refusal(const std::string& name, const std::string& token,
                               const std::string& peer) const;
  // What gives a client the video that it asks for, or why there is none.
  Result<std::unique_ptr<Viewer>> make_viewer(const PlayRequest& request,
                                              paceline::Session& session, Tell tell);
  // The one live feed, with its sound, or why there is none.
  Result<Feed*> live_feed();
  media::StoredOptions stored_options() const;
  Result<Feed*> start_feed(media::LiveInOptions options);
  std::unique_ptr<Feed> make_feed(media::LiveInOptions options);
  Result<std::filesystem::path> find_file(const std::string& name) const;
  // `answer` is called on the io thread, if the server is there by then.
  std::optional<Error> list(const std::string& after, std::function<void(Files)> answer);
  void release_feed(Feed* feed);
  void remove(Client* client);

  boost::asio::io_context& io_;
  ServerOptions options_;
  const LinkPreview page_;
  std::unique_ptr<paceline::SignalLog> signals_;
  std::unique_ptr<paceline::Host> host_;
  std::unique_ptr<FileCatalogue> catalogue_;  // empty: no files
  std::list<std::unique_ptr<Feed>> feeds_;
  Feed* live_ = nullptr;
  std::shared_ptr<SoundFeed> live_sound_;  // while live_ is there; empty: it has none
  paceline::Timer grace_;                  // until the live feed stops for want of viewers
  std::list<std::shared_ptr<Client>> clients_;
  qps::AddressLimit addresses_;
  qps::Measurements measurements_;
  ServerStats stats_;
  bool stopping_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace qvid::app
