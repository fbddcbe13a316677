// Real proxies, Debian's squid and microsocks, as the only way out of a namespace: the server
// listens on the loopback of the other one, and its name is known to the proxy alone.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/emulated_link.h"
#include "tests/e2e/inside.h"
#include "tests/e2e/process.h"
#include "tests/temporary_folder.h"
#include "transport/proxy/proxy_ticket.h"

namespace e2e {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSquid = "/usr/sbin/squid";
constexpr const char* kNegotiate = "/usr/lib/squid/negotiate_kerberos_auth";
constexpr const char* kKerberos = "/usr/sbin/krb5kdc";
constexpr const char* kKinit = "/usr/bin/kinit";
constexpr const char* kMicrosocks = "/usr/bin/microsocks";
constexpr const char* kProxyHost = "10.77.0.2";
constexpr const char* kPassword = "sesame";
constexpr const char* kHidden = "hidden.example";  // where squid finds the server

struct Proxied : OnEmulatedLink {
  Proxied() : OnEmulatedLink("rate=50mbit delay=5ms") {}
  void SetUp() override {
    OnEmulatedLink::SetUp();
    // Squid gives up root's rights.
    fs::permissions(folder.path(), fs::perms(0755));
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    fs::permissions(folder / name, fs::perms(0644));
  }
  void serve() {
    server = std::make_unique<Process>(
        inside(emulator->far(),
               {program(), "serve", "test", "-s", "160x120", "--listen", "127.0.0.1:7400"}));
    const auto line = server->wait_for_log("watch it with: qvid play qvid://");
    ASSERT_TRUE(line) << server->log();
    fingerprint = line->substr(line->find('#'),
                               line->find_first_of(" \n", line->find('#')) - line->find('#'));
  }
  // `login`: "basic", "digest", "negotiate" or "none".
  void start_squid(const std::string& login) {
    if (!fs::exists(kSquid)) GTEST_SKIP() << "squid is not installed";
    write("hosts", std::string("127.0.0.1 ") + kHidden + "\n");
    // "sesame"
    write("basic", "ann:$apr1$abcdefgh$GQVaHFsauSKl0cgw4bVFJ/\n");
    write("digest", std::string("ann:") + kPassword + "\n");
    std::string conf = std::string("http_port ") + kProxyHost +
                       ":3128\n"
                       "hosts_file " +
                       (folder / "hosts").string() +
                       "\n"
                       "max_filedescriptors 1024\ndns_nameservers 127.0.0.1\ndns_timeout 1 second\n"
                       "dns_retransmit_interval 1 second\n"  // else it answers after 5 s
                       "pid_filename none\naccess_log none\ncache_log stdio:/dev/stderr\n"
                       "cache_store_log none\ncache deny all\nshutdown_lifetime 0 seconds\n"
                       "acl known_port port 7400 7500\nhttp_access deny !known_port\n";
    if (login == "basic") {
      conf += "auth_param basic program /usr/lib/squid/basic_ncsa_auth " +
              (folder / "basic").string() + "\nauth_param basic realm qvid\n";
    } else if (login == "digest") {
      conf += "auth_param digest program /usr/lib/squid/digest_file_auth " +
              (folder / "digest").string() + "\nauth_param digest realm qvid\n";
    }
    if (login == "negotiate") {
      conf += std::string("auth_param negotiate program ") + kNegotiate + " -s HTTP/" + kProxyHost +
              "@QVID.TEST -k " + (folder / "keytab").string() + "\n";
    }
    if (login != "none") conf += "acl known proxy_auth REQUIRED\nhttp_access deny !known\n";
    write("squid.conf", conf + "http_access allow all\n");
    proxy.reset();
    proxy = std::make_unique<Process>(
        inside(emulator->far(), {kSquid, "-N", "-d", "1", "-f", (folder / "squid.conf").string()}),
        realm_environment());
    ASSERT_TRUE(proxy->wait_for_log("Accepting HTTP Socket connections")) << proxy->log();
  }
  void start_microsocks() {
    if (!fs::exists(kMicrosocks)) GTEST_SKIP() << "microsocks is not installed";
    proxy.reset();
    proxy =
        std::make_unique<Process>(inside(emulator->far(), {kMicrosocks, "-i", kProxyHost, "-p",
                                                           "1080", "-u", "ann", "-P", kPassword}));
  }
  // Of the test's own realm, and of nobody's tickets.
  std::vector<std::string> realm_environment() const {
    return {"KRB5_CONFIG=" + (folder / "krb5.conf").string(),
            "KRB5_KDC_PROFILE=" + (folder / "kdc.conf").string(),
            "KRB5CCNAME=FILE:" + (folder / "tickets").string(), "KRB5RCACHETYPE=none"};
  }
  // A key server beside the proxy, which knows ann and the proxy.
  void start_realm() {
    for (const char* needed : {kKerberos, kKinit, kNegotiate, "/usr/sbin/kadmin.local"}) {
      if (!fs::exists(needed)) GTEST_SKIP() << needed << " is not installed";
    }
    const std::string at = std::string(kProxyHost) + ":8888";
    write("krb5.conf",
          "[libdefaults]\n default_realm = QVID.TEST\n dns_lookup_kdc = false\n"
          " dns_lookup_realm = false\n dns_canonicalize_hostname = false\n rdns = false\n"
          " udp_preference_limit = 1\n[realms]\n QVID.TEST = {\n  kdc = " +
              at + "\n }\n");
    write("kdc.conf",
          "[kdcdefaults]\n kdc_listen = " + at + "\n kdc_tcp_listen = " + at +
              "\n[realms]\n QVID.TEST = {\n  database_name = " + (folder / "principal").string() +
              "\n  key_stash_file = " + (folder / "stash").string() + "\n }\n");
    const std::string proxy_name = std::string("HTTP/") + kProxyHost;
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"/usr/sbin/kdb5_util", "create", "-s", "-r", "QVID.TEST", "-P", "master"},
             {"/usr/sbin/kadmin.local", "-q", std::string("addprinc -pw ") + kPassword + " ann"},
             {"/usr/sbin/kadmin.local", "-q", "addprinc -randkey " + proxy_name},
             {"/usr/sbin/kadmin.local", "-q",
              "ktadd -k " + (folder / "keytab").string() + " " + proxy_name}}) {
      Process made(command, realm_environment());
      ASSERT_EQ(made.wait(), 0) << made.log();
    }
    fs::permissions(folder / "keytab", fs::perms(0644));
    key_server =
        std::make_unique<Process>(inside(emulator->far(), {kKerberos, "-n"}), realm_environment());
  }
  // As a person does, once the key server answers.
  void log_in() {
    Process kinit(
        inside(emulator->near(), {"sh", "-c",
                                  std::string("for i in $(seq 50); do echo ") + kPassword +
                                      " | kinit ann && exit; sleep 0.1; done; "
                                      "exit 1"}),
        realm_environment());
    ASSERT_EQ(kinit.wait(), 0) << kinit.log() << key_server->log();
  }
  std::unique_ptr<Process> run(std::vector<std::string> arguments,
                               const std::string& proxy_variable) const {
    arguments.insert(arguments.begin(), {program(), "--json"});
    std::vector<std::string> environment = realm_environment();
    environment.insert(environment.end(),
                       {proxy_variable, "XDG_CONFIG_HOME=" + (folder / "near").string()});
    return std::make_unique<Process>(inside(emulator->near(), arguments), environment);
  }
  std::unique_ptr<Process> play(const std::string& host, const std::string& proxy_variable,
                                const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"play", "qvid://" + host + ":7400/live" + fingerprint,
                                       "--headless"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, proxy_variable);
  }
  static void expect_silence_on_password(const Process& process) {
    EXPECT_EQ(process.log().find(kPassword), std::string::npos) << process.log();
    EXPECT_EQ(process.out().find(kPassword), std::string::npos) << process.out();
  }
  // The proxy is killed and comes back: what plays goes on, in the same session.
  template <class F>
  void expect_resumed_across_a_restart(Process& player, F restart) {
    ASSERT_TRUE(player.wait_for_log("first picture")) << player.log();
    proxy->signal(SIGKILL);
    ASSERT_TRUE(player.wait_for_log("trying to resume")) << player.log();
    restart();
    EXPECT_TRUE(player.wait_for_log("resumed after")) << player.log();
    player.signal(SIGINT);
    EXPECT_EQ(player.wait(), 0) << player.log();
    const json report = json::parse(player.out());
    EXPECT_GT(report["frames_shown"], 0) << player.out();
    expect_silence_on_password(player);
  }

  const qvid::TemporaryFolder folder;
  std::unique_ptr<Process> server;
  std::unique_ptr<Process> proxy;
  std::unique_ptr<Process> key_server;
  std::string fingerprint;
};

TEST_F(Proxied, PlaysThroughSquidWithBasicAndResumesWhenItComesBack) {
  start_squid("basic");
  if (IsSkipped() || HasFatalFailure()) return;
  serve();
  const auto player =
      play(kHidden, std::string("HTTPS_PROXY=http://ann:sesame@") + kProxyHost + ":3128");
  ASSERT_TRUE(player->wait_for_log("going through the proxy http://10.77.0.2:3128 (HTTPS_PROXY)"))
      << player->log();
  expect_resumed_across_a_restart(*player, [this] { start_squid("basic"); });
}

// libproxy takes http_proxy as a desktop's setting, a PAC file too.
TEST_F(Proxied, PlaysThroughTheProxyOfTheDesktopsSettings) {
  start_squid("none");
  if (IsSkipped() || HasFatalFailure()) return;
  serve();
  const auto player = play(kHidden, "http_proxy=http://10.77.0.2:3128", {"--pictures", "1"});
  EXPECT_EQ(player->wait(), 0) << player->log();
  EXPECT_NE(player->log().find("going through the proxy http://10.77.0.2:3128 (the desktop's"),
            std::string::npos)
      << player->log();
  write("way.pac",
        "function FindProxyForURL(url, host) {\n"
        "  return host == 'hidden.example' ? 'PROXY 10.77.0.2:3128; DIRECT' : 'DIRECT';\n}\n");
  const std::string pac = "http_proxy=pac+file://" + (folder / "way.pac").string();
  Process asks({program(), "desktop-proxy", "https://hidden.example:7400/"}, {pac});
  asks.wait();
  // Debian 12 has it in a package of its own, and that one crashes under AddressSanitizer.
  if (!asks.out().starts_with("http")) GTEST_SKIP() << "libproxy has no JavaScript here";
  const auto by_pac = play(kHidden, pac, {"--pictures", "1"});
  EXPECT_EQ(by_pac->wait(), 0) << by_pac->log();
  EXPECT_NE(by_pac->log().find("going through the proxy"), std::string::npos) << by_pac->log();
  write("way.pac", "function FindProxyForURL(url, host) { for (;;) {} }\n");
  const auto endless = play(kHidden, pac, {"--no-retry"});
  EXPECT_EQ(endless->wait(), 3) << endless->log();
  EXPECT_NE(endless->log().find("do not say within 3 s"), std::string::npos) << endless->log();
}

TEST_F(Proxied, PlaysThroughSquidWithDigest) {
  start_squid("digest");
  if (IsSkipped() || HasFatalFailure()) return;
  serve();
  const auto player = play(kHidden, "https_proxy=ann:sesame@10.77.0.2:3128", {"--pictures", "1"});
  EXPECT_EQ(player->wait(), 0) << player->log();
  EXPECT_NE(player->log().find("first picture"), std::string::npos) << player->log();
}

TEST_F(Proxied, PlaysThroughSquidWithTheTicketOfWhoIsLoggedIn) {
  if (!paceline::can_make_tickets()) GTEST_SKIP() << "built without GSSAPI";
  start_realm();
  if (IsSkipped() || HasFatalFailure()) return;
  start_squid("negotiate");
  if (IsSkipped() || HasFatalFailure()) return;
  serve();
  const std::string variable = std::string("HTTPS_PROXY=http://") + kProxyHost + ":3128";
  const auto stranger = run({"list", std::string("qvid://") + kHidden + ":7400"}, variable);
  EXPECT_EQ(stranger->wait(), 3) << stranger->log();
  EXPECT_NE(stranger->log().find("wants a ticket of Kerberos (Negotiate)"), std::string::npos)
      << stranger->log();
  log_in();
  if (HasFatalFailure()) return;
  const auto player = play(kHidden, variable);
  expect_resumed_across_a_restart(*player, [this] { start_squid("negotiate"); });
}

TEST_F(Proxied, PlaysThroughSocksAndResumesWhenItComesBack) {
  start_microsocks();
  if (IsSkipped()) return;
  serve();
  // Not an address to us, and one to the proxy's resolver; "localhost" is ::1, too, on most machines,
  // and microsocks tries the first.
  const auto player = play("127.1", "ALL_PROXY=socks5://127.0.0.1:1",
                           {"--proxy", "socks5://ann:sesame@10.77.0.2:1080"});
  expect_resumed_across_a_restart(*player, [this] { start_microsocks(); });
}

TEST_F(Proxied, ACallOfTwoOneOfThemThroughSquid) {
  start_squid("basic");
  if (IsSkipped() || HasFatalFailure()) return;
  Process broker(inside(emulator->far(), {program(), "broker", "--listen", "127.0.0.1:7500"}));
  const auto line = broker.wait_for_log("join with: qvid call qvid://");
  ASSERT_TRUE(line) << broker.log();
  const auto hash = line->find('#');
  const std::string key = line->substr(hash, line->find_first_of(" \n", hash) - hash);
  const std::vector<std::string> source{"--source",  "test", "--size", "160x120", "--headless",
                                        "--speaker", "none", "--rate", "15"};
  std::vector<std::string> ann{"call", std::string("qvid://") + kHidden + ":7500/den" + key,
                               "--name", "Ann"};
  std::vector<std::string> bob{program(), "call", "qvid://127.0.0.1:7500/den" + key, "--name",
                               "Bob"};
  ann.insert(ann.end(), source.begin(), source.end());
  bob.insert(bob.end(), source.begin(), source.end());
  Process at_far(inside(emulator->far(), bob));
  const auto at_near = run(ann, "HTTPS_PROXY=http://ann:sesame@10.77.0.2:3128");
  EXPECT_TRUE(at_near->wait_for_log("first picture of seat 0")) << at_near->log();
  EXPECT_TRUE(at_far.wait_for_log("first picture of seat 0")) << at_far.log();
  proxy->signal(SIGKILL);
  proxy->wait();
  start_squid("basic");
  // Who comes now sees what she sends now.
  Process cid(inside(emulator->far(), {program(), "watch", "qvid://127.0.0.1:7500/den" + key, "Ann",
                                       "--name", "Cid", "--headless", "--speaker", "none"}));
  EXPECT_TRUE(cid.wait_for_log("first picture of seat 0")) << cid.log() << at_near->log();
  at_near->signal(SIGINT);
  EXPECT_EQ(at_near->wait(), 0) << at_near->log();
  expect_silence_on_password(*at_near);
}

TEST_F(Proxied, NamesWhatTheProxyHasAgainstIt) {
  start_squid("basic");
  if (IsSkipped() || HasFatalFailure()) return;
  const std::string at = "10.77.0.2:3128";
  const struct {
    std::string url, variable, expected;
    int code;
  } cases[] = {
      {"qvid://hidden.example:7400", "HTTPS_PROXY=" + at, "wants a user and a password (by Basic)",
       4},
      {"qvid://hidden.example:7400", "HTTPS_PROXY=http://ann:sesamo@" + at,
       "refuses the user or the password", 4},
      {"qvid://hidden.example:9999", "HTTPS_PROXY=http://ann:sesame@" + at,
       "does not allow connections to hidden.example:9999", 4},
      {"qvid://nobody.invalid:7400", "HTTPS_PROXY=http://ann:sesame@" + at,
       "error the proxy http://10.77.0.2:3128", 3},  // no name server to say no
      {"qvid://hidden.example:7400", "HTTPS_PROXY=http://ann:sesame@" + at,
       "cannot reach hidden.example:7400", 3},
      {"qvid://hidden.example:7400", "HTTPS_PROXY=http://ann:sesame@10.77.0.2:1",
       "cannot reach the proxy http://10.77.0.2:1", 3},
      {"qvid://hidden.example:7400", "HTTPS_PROXY=socks5://ann:sesame@" + at,
       "another kind of proxy", 3},
      {"qvid://hidden.example:7400", "HTTPS_PROXY=quic://ann:sesame@" + at,
       "HTTPS_PROXY: '...@10.77.0.2:3128' is no kind of proxy", 2},
  };
  for (const auto& c : cases) {
    const auto listing = run({"list", c.url}, c.variable);
    EXPECT_EQ(listing->wait(), c.code) << listing->log();
    EXPECT_NE(listing->log().find(c.expected), std::string::npos)
        << c.expected << " is not in: " << listing->log();
    EXPECT_EQ(listing->log().find("sesam"), std::string::npos) << listing->log();
  }
}

}  // namespace
}  // namespace e2e
