#include "app/start/joining.h"

namespace qvid::app {

// Values go with their options in one word each: a name may begin with a '-'.
std::vector<std::string> words_of(const Joining& j) {
  using enum Joining::Kind;
  std::vector<std::string> words{j.kind == kWatch ? "watch" : "call"};
  const auto option = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.push_back(std::string(name) + "=" + value);
  };
  if (j.kind == kHost) {
    words.insert(words.end(), {"--host", "--max-parties=" + std::to_string(kHostedParties)});
  }
  option("--name", j.name);
  option("--passphrase", j.passphrase);
  option("--speaker", j.loudspeaker);
  if (j.kind != kWatch) {
    option("--microphone", j.microphone);
    option("--source", j.camera);
    if (j.muted) words.emplace_back("--muted");
    if (j.without_camera) words.emplace_back("--no-camera");
  }
  if (j.kind != kHost) words.push_back(j.link);
  return words;
}

}  // namespace qvid::app
