// Shows what a broker's configuration may say, how it is refused, what a reload changes, and that
// docs/broker.toml has every key with its default.
#include "app/broker/broker_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "app/options/toml_text.h"
#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

using Keys = std::vector<std::string_view>;

Result<BrokerConfig> parse(std::string_view text) { return parse_broker_config(text, "b.toml"); }

std::string contents(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(BrokerConfig, TheExampleHasEveryKeyWithItsDefault) {
  const std::string file = QVID_DOCS "/broker.toml";
  const auto config = read_broker_config(file);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(*config, BrokerConfig{});
  const std::string text = "\n" + contents(file);
  for (const std::string_view key : broker_config_keys()) {
    EXPECT_NE(text.find("\n" + std::string(key) + " = "), std::string::npos) << key;
  }
}

TEST(BrokerConfig, OtherLettersStandInTextsAndComments) {
  const auto config = parse("# \xc3\xa4\ntoken_key = '/k\xc3\xa4' # \xc3\xa4 [ \"");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->token_key, "/k\xc3\xa4");
}

TEST(BrokerConfig, TakesWhatAFileSays) {
  const auto config = parse(R"(
listen = "0.0.0.0:80"
open = true
certificate = "/etc/c.pem"
key = "/etc/k.pem"
token_key = "/etc/t"
token_audience = "eu.example"
token_revoked = "/etc/r"
token_reload = "keep"
local_admin = true
metrics = "[::1]:9000"
health_from = "10.0.0.0/8"
link_picture = "https://example.org/q.png"
threads = 3
max_clients = 100_000
max_per_address = 3
max_members = 4
max_rooms = 5
max_requests = 60
max_memory_mb = 64
max_measuring = 0
chat = false
chat_kept = 7
drain_seconds = 2.5
hook = "http://127.0.0.1:8000/qvid"
cluster = "nats://n1:4222,tls://n2"
name = "east-1"
region = "east"
advertise = "east-1.example:7400"
cluster_credentials = "/etc/n.creds"
cluster_ca = "/etc/n-ca.pem"
cluster_certificate = "/etc/n-c.pem"
cluster_key = "/etc/n-k.pem"
log_level = "warning"
log_form = "json"
)");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(*config, (BrokerConfig{.listen = "0.0.0.0:80",
                                   .open = true,
                                   .certificate = "/etc/c.pem",
                                   .key = "/etc/k.pem",
                                   .token_key = "/etc/t",
                                   .token_audience = "eu.example",
                                   .token_revoked = "/etc/r",
                                   .token_reload = "keep",
                                   .local_admin = true,
                                   .metrics = "[::1]:9000",
                                   .hook = "http://127.0.0.1:8000/qvid",
                                   .health_from = "10.0.0.0/8",
                                   .link_picture = "https://example.org/q.png",
                                   .threads = 3,
                                   .max_clients = 100'000,
                                   .max_per_address = 3,
                                   .max_members = 4,
                                   .max_rooms = 5,
                                   .max_requests = 60,
                                   .max_memory_mb = 64,
                                   .max_measuring = 0,
                                   .chat = false,
                                   .chat_kept = 7,
                                   .drain = 2500ms,
                                   .cluster = "nats://n1:4222,tls://n2",
                                   .name = "east-1",
                                   .region = "east",
                                   .advertise = "east-1.example:7400",
                                   .cluster_credentials = "/etc/n.creds",
                                   .cluster_ca = "/etc/n-ca.pem",
                                   .cluster_certificate = "/etc/n-c.pem",
                                   .cluster_key = "/etc/n-k.pem",
                                   .log_level = "warning",
                                   .log_form = "json"}));
  EXPECT_EQ(*parse(""), BrokerConfig{});
  EXPECT_EQ(parse("# \xc3\xa4\r\n \r\n token_key = '/\\u00e4'\r\n")->token_key, "/\\u00e4");
  EXPECT_EQ(parse("token_key = \"/\\u00e4\" # a file")->token_key, "/\xc3\xa4");
  EXPECT_TRUE(parse("\"open\" = true")->open);
  EXPECT_EQ(parse("drain_seconds = 0")->drain, 0s);
  EXPECT_EQ(parse("drain_seconds = +15e-1# s")->drain, 1500ms);
}

TEST(BrokerConfig, RefusesWithFileLineAndAWayOut) {
  std::string many_dots = "a";
  for (int i = 0; i < 20'000; ++i) many_dots += ".a";
  many_dots += " = 1";
  const std::pair<std::string, std::string> cases[] = {
      {"\nmax_client = 3", "b.toml:2: unknown key 'max_client': the keys are listen, open"},
      {"\n\n[rooms]\nmax_rooms = 3", "b.toml:3: there are no [tables]"},
      {"open = true\r\n \t[ = 1", "b.toml:2: write key = value, the value a text in quotes"},
      {"rooms = {max_rooms = 3}", "b.toml:1: unknown key 'rooms'"},
      {"open = {max_rooms = 3}", "b.toml:1: 'open': write true or false"},
      {"listen = [\n1]", "b.toml:1: 'listen': write a text in quotes"},
      {"listen = 0.0.0.0:7400",
       "b.toml:1: write key = value, the value a text in quotes, a number, true or false"},
      {"listen = ", "b.toml:1: write key = value, the value a text in quotes"},
      {"open = # comment", "b.toml:1: write key = value, the value a text in quotes"},
      {"max_rooms = 1979-05-27", "b.toml:1: 'max_rooms': write a whole number from 1 to"},
      {"max_rooms = 3 4", "b.toml:1: write key = value, the value a text in quotes"},
      {"a.b = 1", "b.toml:1: there are no [tables] here, nor keys with dots: write key = value"},
      {"\n# \xc3\xa4\n\xc3\xa4 = true", "b.toml:3: write other letters than ASCII in quotes alone"},
      {"open = true\nkey = \"\xc3\xa4\" \xc3\xa4", "b.toml:2: write other letters"},
      {many_dots, "b.toml:1: there are too many dots"},
      {"a = " + std::string(60'000, '['),
       "b.toml:1: write key = value, the value a text in quotes"},
      {"key = \"\"\"\nx\"\"\"", "b.toml:1: write a text in one line"},
      {"key = '''x'''", "b.toml:1: write a text in one line"},
      {"key = \"\xff\"", "b.toml:1: write key = value"},
      {"token_reload = \"close them\"", "b.toml:1: 'token_reload': write \"close\" or \"keep\""},
      {"token_audience = \" \"", "b.toml:1: 'token_audience': write a name"},
      {"cluster = \"n1:4222\"", "b.toml:1: 'cluster': a server of NATS is written as nats://"},
      {"hook = \"https://x/y\"", "b.toml:1: 'hook': write http://HOST:PORT/PATH"},
      {"hook = \"http://x/a b\"", "b.toml:1: 'hook': write http://HOST:PORT/PATH"},
      {"hook = \"http://\"", "b.toml:1: 'hook': write http://HOST:PORT/PATH"},
      {"name = \"East 1\"", "b.toml:1: 'name': write a name of 1 to 32 of a-z, 0-9"},
      {"advertise = \"x:y:z\"", "b.toml:1: 'advertise': "},
      {"max_clients = 0", "b.toml:1: 'max_clients': write a whole number from 1 to 100000"},
      {"max_clients = 100001", "from 1 to 100000"},
      {"max_clients = 3.0", "whole number"},
      {"max_clients = \"3\"", "whole number"},
      {"max_members = 9223372036854775807", "from 1 to 10000"},
      {"max_requests = -5", "from 10 to 100000"},
      {"max_rooms = 99999999999999999999", "b.toml:1: "},
      {"open = 1", "'open': write true or false"},
      {"listen = 7400", "'listen': write a text in quotes"},
      {"listen = \"\"", "'listen': "},
      {"listen = \"host:99999\"", "'listen': "},
      {"metrics = \"::1:x\"", "'metrics': "},
      {"listen = \"a\\u0000b\"", "without control characters"},
      {"key = \"" + std::string(5000, 'k') + "\"", "at most 4096 bytes"},
      {"drain_seconds = -1", "seconds from 0 to 3600"},
      {"drain_seconds = 3601", "seconds from 0 to 3600"},
      {"drain_seconds = nan", "seconds from 0 to 3600"},
      {"drain_seconds = inf", "seconds from 0 to 3600"},
      {"drain_seconds = true", "seconds from 0 to 3600"},
      {"log_form = \"xml\"", "write \"text\" or \"json\""},
      {"log_level = \"loud\"", "write one of \"debug\", \"info\", \"warning\", \"error\""},
      {"\ncertificate = \"c.pem\"", "b.toml:2: 'certificate' and 'key' go together"},
      {"\n\nkey = \"k.pem\"", "b.toml:3: 'certificate' and 'key' go together"},
      {"open = true\nopen = true", "b.toml:2: "},
      {"open = yes", "b.toml:1: "},
      {"\nopen", "b.toml:2: "},
      {"\xff\xfe", "b.toml:1: "},
      {std::string(kMaxTomlFile + 1, '\n'), "b.toml: more than 65536 bytes"},
  };
  for (const auto& [text, why] : cases) {
    SCOPED_TRACE(text.substr(0, 60));
    const auto config = parse(text);
    ASSERT_FALSE(config);
    EXPECT_NE(config.error().message.find(why), std::string::npos) << config.error().message;
  }
}

TEST(BrokerConfig, AFileThatIsNoneIsRefused) {
  const TemporaryFolder folder;
  for (const std::string& file : {(folder / "none").string(), folder.path().string()}) {
    const auto config = read_broker_config(file);
    ASSERT_FALSE(config) << file;
    EXPECT_NE(config.error().message.find(file + ": cannot be read"), std::string::npos)
        << config.error().message;
  }
  const std::ofstream empty(folder / "empty");
  EXPECT_TRUE(read_broker_config((folder / "empty").string()));
}

TEST(BrokerConfig, AReloadTakesWhatMayChangeAndNamesTheRest) {
  BrokerConfig wanted;
  EXPECT_EQ(reload({}, wanted).config, BrokerConfig{});
  EXPECT_EQ(reload({}, wanted).changed, Keys{});
  wanted.max_rooms = 7;
  wanted.drain = 9s;
  wanted.log_level = "error";
  const BrokerConfig allowed = wanted;
  wanted.listen = "0.0.0.0:1";
  wanted.open = true;
  wanted.certificate = wanted.key = "x";
  wanted.metrics = "127.0.0.1:1";
  wanted.threads = 5;
  const BrokerReload next = reload({}, wanted);
  EXPECT_EQ(next.config, allowed);
  EXPECT_EQ(next.changed, (Keys{"max_rooms", "drain_seconds", "log_level"}));
  EXPECT_EQ(next.kept, (Keys{"listen", "open", "certificate", "key", "metrics", "threads"}));
}

}  // namespace
}  // namespace qvid::app
