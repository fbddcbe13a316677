#include "app/settings/settings_file.h"

#include <system_error>

#include "app/options/transport_options.h"
#include "transport/tls/tls_files.h"

namespace qvid::app {
namespace {

namespace fs = std::filesystem;

// Its text; empty where there is none, or it was set aside, which `told` tells.
Result<std::string> sound_text(const fs::path& file, std::vector<std::string>& told) {
  const auto text = paceline::read_file(file);
  if (!text) return text.error();
  if (!*text) return std::string();
  const auto read = parse_settings(**text, file.string());
  if (read) {
    told = read->troubles;
    return **text;
  }
  const fs::path aside = file.string() + ".broken";
  std::error_code error;
  fs::rename(file, aside, error);
  if (error) {
    return Error{read.error().message + "; it cannot be set aside: " + error.message() +
                 ": mend it, or remove it"};
  }
  told.push_back(read.error().message + "; it is set aside as " + aside.string() +
                 ", and begun anew: mend it and move it back, or remove it");
  return std::string();
}

}  // namespace

fs::path settings_file() {
  const fs::path folder = settings_folder();
  return folder.empty() ? fs::path() : folder / "settings.toml";
}

ReadSettings load_settings(const fs::path& file) {
  ReadSettings result;
  if (file.empty()) return result;
  const auto text = sound_text(file, result.troubles);
  if (!text) {
    result.troubles.push_back(text.error().message);
    return result;
  }
  if (auto read = parse_settings(*text, file.string())) result.settings = std::move(read->settings);
  return result;
}

std::optional<Error> change_settings(const fs::path& file,
                                     const std::function<void(Settings&)>& change) {
  if (file.empty()) return std::nullopt;
  if (auto error = paceline::make_private_folder(file.parent_path())) return error;
  const auto lock = paceline::FileLock::take(file.string() + ".lock");
  if (!lock) return lock.error();
  std::vector<std::string> told;  // by who loaded it
  const auto text = sound_text(file, told);
  if (!text) return text.error();
  const auto before = parse_settings(*text, file.string());
  if (!before) return before.error();
  Settings settings = before->settings;
  change(settings);
  if (settings == before->settings) return std::nullopt;
  const auto changed = changed_text(*text, settings);
  if (!changed) return Error{file.string() + ": " + changed.error().message};
  std::error_code ignored;
  const fs::path linked = fs::canonical(file, ignored);  // a link stays one
  return paceline::write_file(linked.empty() ? file : linked, *changed);
}

}  // namespace qvid::app
